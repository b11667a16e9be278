import { normalizeDateTime } from "../../contract/date-time.ts";
import type { FieldIssues } from "../../contract/errors.ts";
import type { PostEventFields } from "../../contract/post-event-schemas.ts";
import { type RuleParts, rulePartsOf, splitRrule } from "../../contract/rrule-text.ts";
import { withoutUndefined } from "../../store/bulk.ts";
import { expandRules, isPossible, neverHappens, type RecurrenceRule } from "../pipeline/recurrence/expand-rules.ts";
import type { StoredEvent } from "./stored-event.ts";

type Recurrence = NonNullable<StoredEvent["recurrence"]>;

/** A recurrence rule. `parts` does not include `until` and `count`. */
export interface RecurrenceSpec {
  readonly parts: RuleParts;
  readonly count: number | null;
  /** A time or a day, inclusive. */
  readonly until: string | null;
}

export class BadRule extends Error {}

export function fullRecurrence({ freq, ...rest }: NonNullable<PostEventFields["recurrence"]>): Recurrence {
  const none = { until: null, count: null, interval: null, bymonthday: null, bymonth: null, bysetpos: null };
  return { freq, ...none, ...withoutUndefined(rest) };
}

export const ruleOf = (recurrence: Recurrence): RecurrenceSpec => ({
  parts: rulePartsOf(recurrence),
  count: recurrence.count,
  until: recurrence.until,
});

export function recurrenceIssues(recurrence: Recurrence): FieldIssues {
  const { freq, until, count, bymonthday, bymonth, bysetpos } = recurrence;
  const issues: FieldIssues = {};
  if (until !== null && count !== null) issues["event.recurrence.until"] = ["cannot be used together with count"];
  if (freq === "weekly" && bymonthday !== null) {
    issues["event.recurrence.bymonthday"] = ["must not be given with weekly"];
  }
  if (bysetpos !== null && bymonthday === null && bymonth === null) {
    issues["event.recurrence.bysetpos"] = ["needs bymonthday or bymonth"];
  }
  const isConsistent =
    issues["event.recurrence.bymonthday"] === undefined && issues["event.recurrence.bysetpos"] === undefined;
  if (isConsistent && !isPossible(rulePartsOf(recurrence))) issues["event.recurrence"] = [neverHappens];
  return issues;
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
export function parseRule(text: string): RecurrenceSpec {
  const parts = new Map<string, string>();
  for (const { part, name, value } of splitRrule(text)) {
    if (!grammar[name]?.test(value) || parts.has(name)) throw new BadRule(`has an invalid part: ${part}`);
    parts.set(name, value);
  }
  const [count, until] = [parts.get("COUNT"), toIso(parts.get("UNTIL"))];
  if (!parts.has("FREQ")) throw new BadRule("must have FREQ, as in FREQ=WEEKLY;BYDAY=MO");
  if (count !== undefined && until !== undefined) throw new BadRule("must not have both COUNT and UNTIL");
  if (until !== undefined && normalizeDateTime(until) === undefined)
    throw new BadRule("has an UNTIL that does not exist");
  parts.delete("COUNT");
  parts.delete("UNTIL");
  if (!isPossible(parts)) throw new BadRule(neverHappens);
  return { parts, count: count === undefined ? null : Number(count), until: until ?? null };
}

/** Converts 20261231T140000Z to 2026-12-31T14:00:00Z. */
function toIso(until: string | undefined): string | undefined {
  return until?.replace(/^(\d{4})(\d\d)(\d\d)/, "$1-$2-$3").replace(/T(\d\d)(\d\d)(\d\d)/, "T$1:$2:$3");
}

/** Returns the first day, which always counts, and those of the rule: at most 730, within five years. Throws `BadRule`. */
export async function daysOf(rule: RecurrenceRule, first: string): Promise<string[]> {
  try {
    const { days, never } = await expandRules(first, [rule]);
    if (never.length === 0) return days;
  } catch (error) {
    throw new BadRule(`is not a rule of RFC 5545: ${(error as Error).message}`);
  }
  throw new BadRule(neverHappens);
}
