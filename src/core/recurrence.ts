import { isDeepStrictEqual } from "node:util";
import type { FieldErrors } from "../contract/errors.ts";
import { mostOccurrences, mostRules, mostYears, type Rule, type RuleInput, weekdays } from "../contract/event-forms.ts";
import { takeTurn } from "./event-loop-turns.ts";
import { isPossible } from "./possible-rules.ts";
import { daysByRule } from "./rule-days.ts";

/** Dates that are put on the clock in one turn of the event loop. */
const datesAtOnce = 50;

/** One time at which an event takes place; `day` is set when it takes the whole day, then from midnight to midnight. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly day: string | null;
}

/** The first occurrence, and by which rules it comes again. Wall clock and days are those of the time zone. */
export interface Timing {
  readonly start: number;
  readonly end: number;
  /** Of the whole day; start and end mean nothing then. */
  readonly day: string | null;
  readonly rules: readonly Rule[];
  readonly timezone: string;
}

/** A rule in its full form. */
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
 * All occurrences, in order, the first one always among them: at most 730, within five years of it. Rules that say nothing
 * sensible are named, and then there are no occurrences.
 */
export async function expand(timing: Timing): Promise<{ occurrences: Occurrence[]; mistakes: FieldErrors }> {
  const { start, end, day, rules, timezone } = timing;
  if (rules.length === 0 && day === null) return { occurrences: [{ start, end, day }], mistakes: {} };
  const first = day ?? (await zoned(start, timezone)).toPlainDate().toString();
  const { days, mistakes } = await daysOf(first, rules);
  if (Object.keys(mistakes).length > 0) return { occurrences: [], mistakes };
  return { occurrences: await occurrencesOn(days, timing), mistakes };
}

/**
 * The occurrences that begin on these days, in order, of which the first has to be the first one's. Where the wall clock
 * leaves out a time, the one that it shows instead; of one that it shows twice, the first. All last equally long, or as many
 * whole days.
 */
export async function occurrencesOn(
  days: readonly string[],
  { start, end, day, timezone }: Omit<Timing, "rules">,
  wholeDays = 1,
): Promise<Occurrence[]> {
  const { Temporal } = await import("temporal-polyfill");
  // By their start: where a time zone left out a whole day, two days have the same one.
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

/** The first day and those on which any of the rules says that it comes again, in order; or what is wrong with the rules. */
async function daysOf(first: string, rules: readonly Rule[]): Promise<{ days: string[]; mistakes: FieldErrors }> {
  const mistakes = ruleMistakes(rules, first);
  if (rules.length > mostRules) return { days: [], mistakes };
  const days = new Set([first]);
  const isGood = (index: number) => !Object.keys(mistakes).some((field) => field.startsWith(`recurrence.${index}`));
  const begun = rules.flatMap((rule, index) => (isGood(index) ? Search.begin(first, rule, index) : []));
  const searches = await Promise.all(begun);
  let left = searches;
  while (left.length > 0) {
    // Days that are found later come later, and are too many; only a rule of which no day was found yet is looked at further.
    const enough = days.size >= mostOccurrences;
    for (const search of left) for (const day of await search.next()) if (!enough) days.add(day);
    left = left.filter((search) => !search.ended && (days.size < mostOccurrences || !search.found));
  }
  for (const { found, index } of searches) {
    if (!found) mistakes[`recurrence.${index}`] = [neverHappens];
  }
  return { days: [...days].sort().slice(0, mostOccurrences), mistakes: inOrder(mistakes) };
}

const inOrder = (mistakes: FieldErrors): FieldErrors =>
  Object.fromEntries(Object.entries(mistakes).sort(([a], [b]) => (a < b ? -1 : 1)));

const neverHappens = `never happens within ${mostYears} years of the start`;

/** Looks for the days of one rule, some months at a time. */
class Search {
  readonly index: number;
  /** The rule names a day. */
  found = false;
  ended = false;
  readonly #first: string;
  readonly #days: AsyncGenerator<string[]>;
  /** Occurrences that it may still have. The first one counts, whether or not the rule says so (RFC 5545, 3.3.10, COUNT). */
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

/** What contradicts itself in rules, and, if the first day is known, it. */
export function ruleMistakes(rules: readonly Rule[], first = ""): FieldErrors {
  if (rules.length > mostRules) return { recurrence: [`must have at most ${mostRules} rules`] };
  const mistakes: FieldErrors = {};
  for (const [index, rule] of rules.entries()) {
    const add = (field: string, message: string) => {
      mistakes[`recurrence.${index}.${field}`] = [message];
    };
    const { freq, until, count, byday, bymonthday, bysetpos } = rule;
    if (until !== null && count !== null) add("until", "must not be given together with count");
    else if (until !== null && until < first) add("until", `must not be before the first day, ${first}`);
    if (bysetpos !== null && byday.length === 0) add("bysetpos", "needs byday");
    else if (freq === "weekly" && bymonthday !== null) add("bymonthday", "must not be given with weekly");
    else if (!isPossible(choiceOf(rule))) mistakes[`recurrence.${index}`] = [neverHappens];
    const same = rules.findIndex((other) => isDeepStrictEqual(other, rule));
    if (same < index) mistakes.recurrence = [`must not have a rule twice, as ${same} and ${index}`];
  }
  return mistakes;
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
