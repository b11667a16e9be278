import { isDeepStrictEqual } from "node:util";
import type { FieldErrors } from "../../contract/errors.ts";
import {
  mostOccurrences,
  mostRules,
  mostYears,
  type Rule,
  type RuleInput,
  weekdays,
} from "../../contract/event-schemas.ts";
import { takeTurn } from "./event-loop-turns.ts";
import { isPossible } from "./possible-rules.ts";
import { daysByRule } from "./rule-days.ts";

/** Number of dates converted to times in one turn of the event loop. */
const datesAtOnce = 50;

/** One occurrence of an event. `day` is set for an all-day event, which lasts from midnight to midnight. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly day: string | null;
}

/** The first occurrence and the rules by which it repeats. Times and days are those of the time zone. */
export interface Timing {
  readonly start: number;
  readonly end: number;
  /** Set for all-day events; start and end are ignored then. */
  readonly day: string | null;
  readonly rules: readonly Rule[];
  readonly timezone: string;
}

/** Returns the rule with all parts filled in. */
export function fullRule({ freq, until, count, interval, byday, bymonthday, bymonth, bysetpos }: RuleInput): Rule {
  const named = [byday ?? []].flat().flatMap((days) => days.split(/[+,]/));
  const number = (value: string | number | null | undefined) => (value == null ? null : Number(value));
  return {
    freq,
    until: until ?? null,
    count: count ?? null,
    interval: interval ?? 1,
    byday: weekdays.filter((day) => named.includes(day)),
    bymonthday: number(bymonthday),
    bymonth: number(bymonth),
    bysetpos: number(bysetpos),
  };
}

/**
 * Returns all occurrences in order, always including the first: at most 730, within five years of it. For invalid
 * rules, returns their validation errors and no occurrences.
 */
export async function expand(timing: Timing): Promise<{ occurrences: Occurrence[]; mistakes: FieldErrors }> {
  const { start, end, day, rules, timezone } = timing;
  if (rules.length === 0 && day === null) return { occurrences: [{ start, end, day }], mistakes: {} };
  const first = day ?? (await zoned(start, timezone)).toPlainDate().toString();
  const { days, issues } = await daysOf(first, rules);
  if (Object.keys(issues).length > 0) return { occurrences: [], mistakes: issues };
  return { occurrences: await occurrencesOn(days, timing), mistakes: issues };
}

/**
 * Returns the occurrences on these days, in order; the first day must be that of the first occurrence. A time that a
 * clock change skips moves to the time that the clock shows instead; of a time that occurs twice, the first is used.
 * All occurrences have the same duration, or the same number of whole days.
 */
export async function occurrencesOn(
  days: readonly string[],
  { start, end, day, timezone }: Omit<Timing, "rules">,
  wholeDays = 1,
): Promise<Occurrence[]> {
  const { Temporal } = await import("temporal-polyfill");
  // Keyed by start: where a time zone skipped a whole day, two days start at the same time.
  const found = new Map<number, Occurrence>();
  const seconds = (time: { epochMilliseconds: number }) => Math.floor(time.epochMilliseconds / 1000);
  if (day !== null) {
    for (const [at, each] of days.entries()) {
      if (at % datesAtOnce === 0) await takeTurn();
      const date = Temporal.PlainDate.from(each);
      const from = seconds(date.toZonedDateTime(timezone));
      found.set(from, {
        start: from,
        end: seconds(date.add({ days: wholeDays }).toZonedDateTime(timezone)),
        day: each,
      });
    }
  } else {
    const time = (await zoned(start, timezone)).toPlainTime();
    found.set(start, { start, end, day });
    for (const [at, each] of days.slice(1).entries()) {
      if (at % datesAtOnce === 0) await takeTurn();
      const from = seconds(Temporal.PlainDate.from(each).toPlainDateTime(time).toZonedDateTime(timezone));
      found.set(from, { start: from, end: from + end - start, day });
    }
  }
  return [...found.values()].sort((a, b) => a.start - b.start);
}

async function zoned(time: number, timezone: string) {
  const { Temporal } = await import("temporal-polyfill");
  return Temporal.Instant.fromEpochMilliseconds(time * 1000).toZonedDateTimeISO(timezone);
}

/** Returns the first day and all days that any rule selects, in order, or the validation errors of the rules. */
async function daysOf(first: string, rules: readonly Rule[]): Promise<{ days: string[]; issues: FieldErrors }> {
  const issues = ruleMistakes(rules, first);
  if (rules.length > mostRules) return { days: [], issues };
  const days = new Set([first]);
  const isGood = (index: number) => !Object.keys(issues).some((field) => field.startsWith(`recurrence.${index}`));
  const begun = rules.flatMap((rule, index) => (isGood(index) ? Search.begin(first, rule, index) : []));
  const searches = await Promise.all(begun);
  let left = searches;
  while (left.length > 0) {
    // Once there are enough days, later ones are not needed: only rules without any day so far are searched further.
    const enough = days.size >= mostOccurrences;
    for (const search of left) for (const day of await search.next()) if (!enough) days.add(day);
    left = left.filter((search) => !search.ended && (days.size < mostOccurrences || !search.found));
  }
  for (const { found, index } of searches) {
    if (!found) issues[`recurrence.${index}`] = [neverHappens];
  }
  return { days: [...days].sort().slice(0, mostOccurrences), issues: inOrder(issues) };
}

const inOrder = (issues: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(issues).sort(([a], [b]) => (a < b ? -1 : 1)));

const neverHappens = `never happens within ${mostYears} years of the start`;

/** Searches the days of one rule, some months at a time. */
class Search {
  readonly index: number;
  /** True when the rule has selected at least one day. */
  found = false;
  ended = false;
  readonly #first: string;
  readonly #days: AsyncGenerator<string[]>;
  /**
   * Number of occurrences still allowed. The first one counts even if the rule does not select it (RFC 5545, 3.3.10,
   * COUNT).
   */
  #left: number;

  constructor(
    index: number,
    days: AsyncGenerator<string[]>,
    { first, count }: { first: string; count: number | null },
  ) {
    this.index = index;
    this.#days = days;
    this.#first = first;
    this.#left = (count ?? mostOccurrences) - 1;
  }

  static async begin(first: string, rule: Rule, index: number): Promise<Search> {
    const { Temporal } = await import("temporal-polyfill");
    const start = Temporal.PlainDate.from(first);
    const furthest = start.add({ years: mostYears }).toString();
    const last = rule.until !== null && rule.until < furthest ? rule.until : furthest;
    const days = daysByRule(partsOf(rule), start, Temporal.PlainDate.from(last));
    return new Search(index, days, { first, count: rule.count });
  }

  async next(): Promise<string[]> {
    const { value, done } = await this.#days.next();
    if (done) {
      this.ended = true;
      return [];
    }
    this.found ||= value.length > 0;
    const again = value.filter((day) => day !== this.#first).slice(0, this.#left);
    this.#left -= again.length;
    this.ended = this.found && this.#left === 0;
    return again;
  }
}

/** Returns the validation errors of rules that contradict each other, themselves or, if it is known, the first day. */
export function ruleMistakes(rules: readonly Rule[], first = ""): FieldErrors {
  if (rules.length > mostRules) return { recurrence: [`must have at most ${mostRules} rules`] };
  const issues: FieldErrors = {};
  for (const [index, rule] of rules.entries()) {
    const add = (field: string, message: string) => {
      issues[`recurrence.${index}.${field}`] = [message];
    };
    const { freq, until, count, byday, bymonthday, bysetpos } = rule;
    if (until !== null && count !== null) add("until", "must not be given together with count");
    else if (until !== null && until < first) add("until", `must not be before the first day, ${first}`);
    if (bysetpos !== null && byday.length === 0) add("bysetpos", "needs byday");
    else if (freq === "weekly" && bymonthday !== null) add("bymonthday", "must not be given with weekly");
    else if (!isPossible(choiceOf(rule))) issues[`recurrence.${index}`] = [neverHappens];
    const same = rules.findIndex((other) => isDeepStrictEqual(other, rule));
    if (same < index) issues.recurrence = [`must not contain the same rule twice: ${same} and ${index}`];
  }
  return issues;
}

const listed = <T>(value: T | null): T[] => (value === null ? [] : [value]);

const choiceOf = ({ freq, byday, bymonth, bymonthday, bysetpos }: Rule) => ({
  freq,
  months: listed(bymonth),
  monthDays: listed(bymonthday),
  weekdays: byday.length,
  positions: listed(bysetpos),
});

function partsOf({ freq, interval, byday, bymonthday, bymonth, bysetpos }: Rule): ReadonlyMap<string, string> {
  const values = { BYDAY: byday.join(",") || null, BYMONTHDAY: bymonthday, BYMONTH: bymonth, BYSETPOS: bysetpos };
  const parts = new Map([
    ["FREQ", freq.toUpperCase()],
    ["INTERVAL", String(interval)],
  ]);
  for (const [name, value] of Object.entries(values)) if (value !== null) parts.set(name, String(value));
  return parts;
}
