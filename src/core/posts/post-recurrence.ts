import type { Temporal } from "temporal-polyfill";
import { frequencies, mostOccurrences, mostYears } from "../../contract/event-schemas.ts";
import { isMoment, type PostEventFields } from "../../contract/post-event-schemas.ts";
import { isPossible } from "../pipeline/possible-rules.ts";
import { daysByRule } from "../pipeline/rule-days.ts";
import type { StoredEvent } from "./stored-event.ts";

type Recurrence = NonNullable<StoredEvent["recurrence"]>;

/** A recurrence rule. `parts` holds its parts as text, except `until` and `count`. */
export interface Repetition {
  readonly parts: ReadonlyMap<string, string>;
  readonly count: number | null;
  /** A time or a day, inclusive. */
  readonly until: string | null;
}

/** Reports an invalid rule, and the invalid part if the error concerns a single one. */
export class BadRule extends Error {
  readonly part: string | undefined;
  constructor(message: string, part?: string) {
    super(message);
    this.part = part;
  }
}

export function fullRecurrence(given: NonNullable<PostEventFields["recurrence"]>): Recurrence {
  const {
    freq,
    until = null,
    count = null,
    interval = null,
    bymonthday = null,
    bymonth = null,
    bysetpos = null,
  } = given;
  return { freq, until, count, interval, bymonthday, bymonth, bysetpos };
}

/** Returns the rule for a recurrence. Throws `BadRule`. */
export function ruleOf({ freq, until, count, interval, bymonthday, bymonth, bysetpos }: Recurrence): Repetition {
  if (until !== null && count !== null) throw new BadRule("must not be given together with count", "until");
  if (freq === "weekly" && bymonthday !== null) throw new BadRule("must not be given with weekly", "bymonthday");
  if (bysetpos !== null && bymonthday === null && bymonth === null) {
    throw new BadRule("needs bymonthday or bymonth", "bysetpos");
  }
  const numbers = { INTERVAL: interval, BYMONTH: bymonth, BYMONTHDAY: bymonthday, BYSETPOS: bysetpos };
  const parts = new Map([["FREQ", freq.toUpperCase()]]);
  for (const [name, value] of Object.entries(numbers)) if (value !== null) parts.set(name, String(value));
  return { parts, count, until };
}

const list = (one: string) => new RegExp(`^${one}(,${one})*$`);
const upTo = { "12": "([1-9]|1[0-2])", "31": "([1-9]|[12]\\d|3[01])", "53": "([1-9]|[1-4]\\d|5[0-3])" };
const inYear = "([1-9]|[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])";

/** The allowed values of each part of a rule (RFC 5545, 3.3.10). */
const grammar: Readonly<Record<string, RegExp>> = {
  FREQ: /^(DAILY|WEEKLY|MONTHLY|YEARLY)$/,
  INTERVAL: /^([1-9]\d{0,2}|1000)$/,
  COUNT: /^[1-9]\d{0,4}$/,
  UNTIL: /^\d{8}(T\d{6}Z?)?$/,
  BYMONTH: list(upTo["12"]),
  BYWEEKNO: list(`[+-]?${upTo["53"]}`),
  BYYEARDAY: list(`[+-]?${inYear}`),
  BYMONTHDAY: list(`[+-]?${upTo["31"]}`),
  BYDAY: list(`([+-]?${upTo["53"]})?(MO|TU|WE|TH|FR|SA|SU)`),
  BYSETPOS: list(`[+-]?${inYear}`),
  WKST: /^(MO|TU|WE|TH|FR|SA|SU)$/,
};

/** Parses a rule in the form of RFC 5545. Throws `BadRule`. */
export function parseRule(text: string): Repetition {
  const parts = new Map<string, string>();
  for (const part of text
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, "")
    .split(";")) {
    const [, name = "", value = ""] = /^([A-Z]+)=(.+)$/.exec(part) ?? [];
    if (!grammar[name]?.test(value) || parts.has(name)) throw new BadRule(`has an invalid part: ${part}`);
    parts.set(name, value);
  }
  const [count, until] = [parts.get("COUNT"), iso(parts.get("UNTIL"))];
  if (!parts.has("FREQ")) throw new BadRule("must have FREQ, as in FREQ=WEEKLY;BYDAY=MO");
  if (count !== undefined && until !== undefined) throw new BadRule("must not have both COUNT and UNTIL");
  if (until !== undefined && !isMoment(until)) throw new BadRule("has an UNTIL that does not exist");
  parts.delete("COUNT");
  parts.delete("UNTIL");
  return { parts, count: count === undefined ? null : Number(count), until: until ?? null };
}

/** Converts 20261231T140000Z to 2026-12-31T14:00:00Z. */
function iso(until: string | undefined): string | undefined {
  return until?.replace(/^(\d{4})(\d\d)(\d\d)/, "$1-$2-$3").replace(/T(\d\d)(\d\d)(\d\d)/, "T$1:$2:$3");
}

/**
 * Returns the days of the rule, starting with the first day, which always counts: at most 730, within five years.
 * Throws `BadRule`.
 */
export async function daysOf(
  { parts, count }: Repetition,
  first: Temporal.PlainDate,
  last: Temporal.PlainDate | undefined,
): Promise<string[]> {
  const { Temporal } = await import("temporal-polyfill");
  const furthest = first.add({ years: mostYears });
  const end = last && Temporal.PlainDate.compare(last, furthest) < 0 ? last : furthest;
  const begin = first.toString();
  const days = [begin];
  const most = Math.min(count ?? mostOccurrences, mostOccurrences);
  let found = false;
  try {
    if (!isPossible(choiceOf(parts))) throw new BadRule(neverHappens);
    for await (const some of daysByRule(parts, first, end)) {
      found ||= some.length > 0;
      days.push(...some.filter((day) => day !== begin));
      if (found && days.length >= most) break;
    }
  } catch (error) {
    if (error instanceof BadRule) throw error;
    throw new BadRule(`is not a rule of RFC 5545: ${(error as Error).message}`);
  }
  if (!found) throw new BadRule(neverHappens);
  return days.slice(0, most);
}

const neverHappens = `never happens within ${mostYears} years of the start`;

function choiceOf(parts: Repetition["parts"]) {
  const numbers = (name: string) => parts.get(name)?.split(",").map(Number) ?? [];
  return {
    freq: frequencies.find((freq) => freq.toUpperCase() === parts.get("FREQ"))!,
    months: numbers("BYMONTH"),
    monthDays: numbers("BYMONTHDAY"),
    weekdays: new Set(parts.get("BYDAY")?.split(",")).size,
    positions: numbers("BYSETPOS"),
  };
}

/** Returns the rule in the form of RFC 5545, with `until` appended as it is. */
export function writeRule({ parts, count }: Repetition, until: string | undefined): string {
  const whole = [...parts].map((part) => part.join("="));
  if (count !== null) whole.push(`COUNT=${count}`);
  if (until !== undefined) whole.push(`UNTIL=${until}`);
  return whole.join(";");
}
