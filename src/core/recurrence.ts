import type { FieldErrors } from "../contract/errors.ts";
import { mostOccurrences, mostYears, type Rule, type RuleInput, weekdays } from "../contract/event-forms.ts";

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
    for (const each of days) {
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
    for (const each of days.slice(1)) {
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
  const days = new Set([first]);
  const mistakes = ruleMistakes(rules, first);
  for (const [index, rule] of rules.entries()) {
    if (Object.keys(mistakes).some((field) => field.startsWith(`recurrence.${index}.`))) continue;
    const own = await daysByRule(first, rule);
    if (own.length === 0) mistakes[`recurrence.${index}`] = [`never happens within ${mostYears} years of the start`];
    // The first occurrence counts, whether or not the rule says so (RFC 5545, 3.3.10, COUNT).
    const again = own.filter((day) => day !== first);
    for (const day of again.slice(0, (rule.count ?? mostOccurrences) - 1)) days.add(day);
  }
  return { days: [...days].sort().slice(0, mostOccurrences), mistakes };
}

/** What contradicts itself in rules, and, if the first day is known, it. */
export function ruleMistakes(rules: readonly Rule[], first = ""): FieldErrors {
  const mistakes: FieldErrors = {};
  for (const [index, { freq, until, count, byday, bymonthday, bysetpos }] of rules.entries()) {
    const add = (field: string, message: string) => {
      mistakes[`recurrence.${index}.${field}`] = [message];
    };
    if (until !== null && count !== null) add("until", "must not be given together with count");
    else if (until !== null && until < first) add("until", `must not be before the first day, ${first}`);
    if (bysetpos !== null && byday.length === 0) add("bysetpos", "needs byday");
    if (freq === "weekly" && bymonthday !== null) add("bymonthday", "must not be given with weekly");
  }
  return mistakes;
}

/** The days that a rule names, from the first one on, for five years. */
async function daysByRule(first: string, rule: Rule): Promise<string[]> {
  const [{ Temporal }, { RRuleTemporal }] = await Promise.all([import("temporal-polyfill"), import("rrule-temporal")]);
  const { freq, until, interval, byday, bymonthday, bymonth, bysetpos } = rule;
  const start = Temporal.PlainDate.from(first);
  const furthest = start.add({ years: mostYears }).toString();
  const last = until !== null && until < furthest ? until : furthest;
  // Days of the calendar, for which UTC has a place: no clock is ever changed there.
  const recurrence = new RRuleTemporal({
    freq: freq.toUpperCase() as Uppercase<Rule["freq"]>,
    interval,
    dtstart: start.toZonedDateTime("UTC"),
    until: Temporal.PlainDate.from(last).toZonedDateTime("UTC"),
    ...(byday.length > 0 && { byDay: byday }),
    ...(bymonthday !== null && { byMonthDay: [bymonthday] }),
    ...(bymonth !== null && { byMonth: [bymonth] }),
    ...(bysetpos !== null && { bySetPos: [bysetpos] }),
    cache: false,
  });
  return recurrence.all((_, found) => found < mostOccurrences).map((day) => day.toPlainDate().toString());
}
