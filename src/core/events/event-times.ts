import type { Selectable } from "kysely";
import type { FieldErrors } from "../../contract/errors.ts";
import type { Rule } from "../../contract/event-schemas.ts";
import type { events } from "../../contract/events.ts";
import type { InputOf } from "../../contract/operation.ts";
import { deleteRows, insertRows } from "../../store/bulk.ts";
import type { Schema } from "../../store/schema/schema.ts";
import type { Ctx } from "../pipeline/context.ts";
import type { Occurrence } from "../pipeline/recurrence/place-occurrences.ts";
import { expand, fullRule, ruleIssues } from "./event-rules.ts";
import { spanOf } from "./occurrence-spans.ts";

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
  issues: FieldErrors,
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
  const { occurrences, issues: more } = await expand({ ...first, timezone }, rules);
  Object.assign(issues, more);
  const [begin, final] = [occurrences.at(0), occurrences.at(-1)];
  if (begin === undefined || final === undefined) return undefined;
  const { day: date, start: start_at, end: end_at } = begin;
  const all_day = date === null ? 0 : 1;
  return { columns: { start_at, end_at, last_at: final.end, all_day, date, recurrence, timezone }, occurrences };
}

/** Returns the first occurrence, as a day or as start and end; undefined when a field is missing. */
function firstOf(input: TimesInput, issues: FieldErrors, before?: TimesColumns) {
  const wasAllDay = before?.all_day === 1;
  const allDay = input.all_day === undefined ? wasAllDay : Boolean(input.all_day);
  if (allDay) {
    const day = input.date === undefined ? before?.date : input.date;
    if (day) return { day, start: 0, end: 0 };
    issues.date = ["is required for an all-day event"];
    return undefined;
  }
  if (input.date) issues.date = ["is only for all-day events: set all_day"];
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

export async function keepOccurrences({ db }: Ctx, event_id: number, occurrences: readonly Occurrence[]) {
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
