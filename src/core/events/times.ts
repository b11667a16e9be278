import type { FieldErrors } from "../../contract/errors.ts";
import type { Rule, RuleInput } from "../../contract/event-forms.ts";
import { insertRows } from "../../store/bulk.ts";
import type { Ctx } from "../context.ts";
import { expand, fullRule, type Occurrence, ruleMistakes } from "../recurrence.ts";
import { spanOf } from "./spans.ts";

/** When an event takes place, as the input says it. */
export interface TimesInput {
  readonly start?: number | null | undefined;
  readonly end?: number | null | undefined;
  readonly all_day?: boolean | 0 | 1 | undefined;
  readonly date?: string | null | undefined;
  readonly recurrence?: readonly RuleInput[] | undefined;
}

/** The columns that say when an event takes place. */
interface TimesColumns {
  readonly start_at: number;
  readonly end_at: number;
  readonly all_day: 0 | 1;
  readonly date: string | null;
  readonly recurrence: string;
}

export interface Times {
  readonly columns: TimesColumns & { readonly last_at: number; readonly timezone: string };
  readonly occurrences: readonly Occurrence[];
}

export function timesOf({ start_at, end_at, all_day, date, recurrence }: TimesColumns): TimesColumns {
  return { start_at, end_at, all_day, date, recurrence };
}

/** When an event is to take place; undefined when that stays as it was `before`. What is wrong goes into `mistakes`. */
export async function planTimes(
  ctx: Ctx,
  input: TimesInput,
  mistakes: FieldErrors,
  before?: TimesColumns,
): Promise<Times | undefined> {
  const rules: Rule[] = input.recurrence?.map(fullRule) ?? JSON.parse(before?.recurrence ?? "[]");
  const first = firstOf(input, mistakes, before);
  const recurrence = JSON.stringify(rules);
  if (first === undefined) {
    Object.assign(mistakes, ruleMistakes(rules));
    return undefined;
  }
  const same = before && first.day === before.date && (first.day !== null || isAt(before, first));
  if (same && before.recurrence === recurrence) return undefined;
  const { timezone } = ctx.settings;
  const { occurrences, mistakes: more } = await expand({ ...first, rules, timezone });
  Object.assign(mistakes, more);
  const [begin] = occurrences;
  if (begin === undefined) return undefined;
  const { day: date, start: start_at, end: end_at } = begin;
  const all_day = date === null ? 0 : 1;
  const last_at = occurrences.at(-1)!.end;
  return { columns: { start_at, end_at, last_at, all_day, date, recurrence, timezone }, occurrences };
}

const isAt = (before: TimesColumns, { start, end }: { start: number; end: number }) =>
  before.start_at === start && before.end_at === end;

/** The first occurrence: a day, or from start to end; undefined when something is missing. */
function firstOf(input: TimesInput, mistakes: FieldErrors, before?: TimesColumns) {
  const wasAllDay = before?.all_day === 1;
  const allDay = input.all_day === undefined ? wasAllDay : Boolean(input.all_day);
  if (allDay) {
    const day = input.date === undefined ? before?.date : input.date;
    if (day) return { day, start: 0, end: 0 };
    mistakes.date = ["is required for the whole day"];
    return undefined;
  }
  if (input.date) mistakes.date = ["is for the whole day: set all_day, too"];
  const start = input.start === undefined && !wasAllDay ? before?.start_at : input.start;
  const end = input.end === undefined && !wasAllDay ? before?.end_at : input.end;
  if (start == null) mistakes.start = ["is required, unless it is for the whole day"];
  if (end == null) mistakes.end = ["is required, unless it is for the whole day"];
  else if (start != null && end < start) mistakes.end = ["must not be before start"];
  return start == null ? undefined : { day: null, start, end: Math.max(end ?? start, start) };
}

/** Keeps the occurrences of an event, in place of those that it had. */
export async function keepOccurrences({ db }: Ctx, event_id: number, occurrences: readonly Occurrence[]) {
  await db.deleteFrom("event_dates").where("event_id", "=", event_id).execute();
  const rows = occurrences.map(({ start, end, day }) => ({
    event_id,
    start_at: start,
    end_at: end,
    day,
    span: spanOf(end - start),
  }));
  await insertRows(db, "event_dates", rows);
}
