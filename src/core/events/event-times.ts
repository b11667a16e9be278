import { isDeepStrictEqual } from "node:util";
import type { Selectable } from "kysely";
import type { FieldIssues } from "../../contract/errors.ts";
import { maxRules, type Rule, type RuleInput, weekdays } from "../../contract/event-schemas.ts";
import type { events } from "../../contract/events.ts";
import type { InputOf } from "../../contract/operation.ts";
import { rulePartsOf } from "../../contract/rrule-text.ts";
import { deleteRows, insertRows } from "../../store/bulk.ts";
import type { Schema } from "../../store/schema/schema.ts";
import type { Ctx } from "../pipeline/context.ts";
import { hasIssues } from "../pipeline/field-issues.ts";
import { expandRules, isPossible, neverHappens } from "../pipeline/recurrence/expand-rules.ts";
import { type FirstOccurrence, type Occurrence, occurrencesOn } from "../pipeline/recurrence/place-occurrences.ts";

const hour = 3600;
const day = 24 * hour;

/** The longest duration of each class of occurrences, in seconds. Those that are running have started at most that long ago. */
export const spanLimits: readonly number[] = [
  2 * hour,
  12 * hour,
  36 * hour,
  12 * day,
  96 * day,
  Number.MAX_SAFE_INTEGER,
];

/** Longer classes are searched separately; shorter occurrences are found among recently started ones. */
export const lastShortSpan = 1;

export function spanOf(seconds: number): number {
  return spanLimits.findIndex((longest) => seconds <= longest);
}

type TimesInput = Pick<InputOf<typeof events.update>, "start" | "end" | "all_day" | "date" | "recurrence">;

type TimesColumns = Pick<Selectable<Schema["events"]>, "start_at" | "end_at" | "all_day" | "date" | "recurrence">;

export interface EventTimes {
  readonly columns: TimesColumns & { readonly last_at: number; readonly timezone: string };
  readonly occurrences: readonly Occurrence[];
}

export function eventTimesOf({ start_at, end_at, all_day, date, recurrence }: TimesColumns): TimesColumns {
  return { start_at, end_at, all_day, date, recurrence };
}

/** Returns the times after a change, undefined when they stay as `before`. Adds validation errors to `issues`. */
export async function planTimes(
  ctx: Ctx,
  input: TimesInput,
  issues: FieldIssues,
  before?: TimesColumns,
): Promise<EventTimes | undefined> {
  const rules: Rule[] = input.recurrence?.map(fullRule) ?? JSON.parse(before?.recurrence ?? "[]");
  const first = firstOf(input, issues, before);
  const recurrence = JSON.stringify(rules);
  if (first === undefined) {
    Object.assign(issues, ruleIssues(rules));
    return undefined;
  }
  const { day, start, end } = first;
  const same = before?.date === day && (day !== null || (before.start_at === start && before.end_at === end));
  if (same && before.recurrence === recurrence) return undefined;
  const { timezone } = ctx.settings;
  const { occurrences, issues: more } = await expandEvent({ ...first, timezone }, rules);
  Object.assign(issues, more);
  const [begin, final] = [occurrences.at(0), occurrences.at(-1)];
  if (begin === undefined || final === undefined) return undefined;
  const { day: date, start: start_at, end: end_at } = begin;
  const all_day = date === null ? 0 : 1;
  return { columns: { start_at, end_at, last_at: final.end, all_day, date, recurrence, timezone }, occurrences };
}

/** Returns the first occurrence, as a day or as start and end; undefined when a field is missing. */
function firstOf(input: TimesInput, issues: FieldIssues, before?: TimesColumns) {
  const wasAllDay = before?.all_day === 1;
  const allDay = input.all_day === undefined ? wasAllDay : Boolean(input.all_day);
  if (allDay) {
    const day = input.date === undefined ? before?.date : input.date;
    if (day) return { day, start: 0, end: 0 };
    issues.date = ["is required for an all-day event"];
    return undefined;
  }
  if (input.date && input.all_day === undefined) issues.date = ["is only for all-day events: set all_day"];
  const start = input.start === undefined && !wasAllDay ? before?.start_at : input.start;
  const end = input.end === undefined && !wasAllDay ? before?.end_at : input.end;
  if (start == null) issues.start = ["is required, except for an all-day event"];
  if (end == null) issues.end = ["is required, except for an all-day event"];
  else if (start != null && end < start) {
    if (input.end === undefined) issues.start = ["must not be after the end"];
    else issues.end = ["must not be before the start"];
  }
  return start == null ? undefined : { day: null, start, end: Math.max(end ?? start, start) };
}

export async function replaceOccurrences({ db }: Ctx, event_id: number, occurrences: readonly Occurrence[]) {
  await deleteRows(db, "event_dates", { event_id });
  const rows = occurrences.map(({ start, end, day }) => ({
    event_id,
    start_at: start,
    end_at: end,
    day,
    span: spanOf(end - start),
  }));
  await insertRows(db, "event_dates", rows);
}

/** Returns the rule with all parts filled in. */
function fullRule({ freq, until, count, interval, byday, bymonthday, bymonth, bysetpos }: RuleInput): Rule {
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

/** Returns at most 730 occurrences within five years, always with the first, or the validation errors of the rules. */
export async function expandEvent(
  first: FirstOccurrence,
  rules: readonly Rule[],
): Promise<{ occurrences: Occurrence[]; issues: FieldIssues }> {
  const { start, end, day, timezone } = first;
  if (rules.length === 0 && day === null) return { occurrences: [{ start, end, day }], issues: {} };
  const { Temporal } = await import("temporal-polyfill");
  const zoned = Temporal.Instant.fromEpochMilliseconds(start * 1000).toZonedDateTimeISO(timezone);
  const { days, issues } = await daysOf(day ?? zoned.toPlainDate().toString(), rules);
  return { occurrences: hasIssues(issues) ? [] : await occurrencesOn(days, first), issues };
}

/** Returns the first day and all days that any rule selects, in order, and the validation errors of the rules. */
async function daysOf(first: string, rules: readonly Rule[]): Promise<{ days: string[]; issues: FieldIssues }> {
  const issues = ruleIssues(rules, first);
  if (rules.length > maxRules) return { days: [], issues };
  const hasIssue = (index: number) => Object.keys(issues).some((field) => field.startsWith(`recurrence.${index}`));
  const good = [...rules.entries()].filter(([index]) => !hasIssue(index));
  const expanded = good.map(([, rule]) => ({ parts: rulePartsOf(rule), count: rule.count, last: rule.until }));
  const { days, never } = await expandRules(first, expanded);
  for (const at of never) issues[`recurrence.${good[at]?.[0]}`] = [neverHappens];
  const inOrder = Object.entries(issues).sort(([a], [b]) => (a < b ? -1 : 1));
  return { days, issues: Object.fromEntries(inOrder) };
}

/** Returns the validation errors of rules that contradict each other, themselves or, if it is known, the first day. */
function ruleIssues(rules: readonly Rule[], first = ""): FieldIssues {
  if (rules.length > maxRules) return { recurrence: [`must have at most ${maxRules} rules`] };
  const issues: FieldIssues = {};
  for (const [index, rule] of rules.entries()) {
    const add = (field: string, message: string) => {
      issues[`recurrence.${index}${field}`] = [message];
    };
    const { freq, until, count, byday, bymonthday, bysetpos } = rule;
    if (until !== null && count !== null) add(".until", "cannot be used together with count");
    else if (until !== null && until < first) add(".until", `must not be before the first day, ${first}`);
    const lacksByday = bysetpos !== null && byday.length === 0;
    const isWeeklyByMonthday = freq === "weekly" && bymonthday !== null;
    if (lacksByday) add(".bysetpos", "needs byday");
    if (isWeeklyByMonthday) add(".bymonthday", "must not be given with weekly");
    if (!lacksByday && !isWeeklyByMonthday && !isPossible(rulePartsOf(rule))) add("", neverHappens);
    const same = rules.findIndex((other) => isDeepStrictEqual(other, rule));
    if (same < index) issues.recurrence = [`must not contain the same rule twice: ${same} and ${index}`];
  }
  return issues;
}
