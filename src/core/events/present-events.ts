import type { z } from "zod";
import type { event } from "../../contract/event-schemas.ts";
import { rowsIn } from "../../store/nested-rows.ts";
import { presentNestedFiles } from "../files/attached-files.ts";
import type { Ctx } from "../pipeline/context.ts";
import { listsIn } from "../visibility/audience.ts";
import { mayEditEvent } from "../visibility/event-visibility.ts";
import type { DateRow, ShownEventRow } from "./find-event.ts";

export type Event = z.infer<ReturnType<typeof event>>;

export function presentEvent(ctx: Ctx, row: ShownEventRow): Event {
  const edits = mayEditEvent(ctx.actor, row);
  const audience = listsIn(row);
  const files = presentNestedFiles(ctx, row.files);
  const uploads = files.filter((file) => file.type === "upload").length;
  // Fields that follow a spread are slow to add and to write as JSON.
  const { dates, days } = occurrences(rowsIn(row.dates, "start_at"));
  return {
    id: row.id,
    content_type: "event",
    permissions: { edit: edits, delete: edits },
    title: row.title,
    dates,
    days,
    all_day: row.all_day === 1,
    date: row.date,
    timezone: row.timezone,
    recurrence: JSON.parse(row.recurrence),
    location: row.location,
    link: row.link,
    type: row.type,
    files,
    uploading_files: Math.max(row.file_count - uploads, 0),
    body: row.body,
    userTypes: audience.userTypes.map(({ id, name }) => ({ id, name, url: `/usertypes/${id}` })),
    units: audience.units.map(({ id, name }) => ({ content_type: "unit", id, name, url: `/units/${id}` })),
    author: {
      content_type: "user",
      id: row.author_id,
      name: `${row.first_name} ${row.last_name}`,
      url: `/users/${row.author_id}`,
    },
    seen: row.seen_at !== null || row.author_id === ctx.actor.id,
    participation: { accepted: row.accepted_count, rejected: row.rejected_count, answer: row.answer },
    uid: row.uid,
    created_at: row.created_at,
    updated_at: row.updated_at,
    url: `/events/${row.id}`,
    shared: audience.shares.length > 0,
  };
}

/** Returns occurrences as times or, for all-day events, as days; never both. */
export function occurrences(dates: readonly Omit<DateRow, "event_id">[]): Pick<Event, "dates" | "days"> {
  return {
    dates: dates.flatMap(({ start_at, end_at, day }) => (day === null ? [{ start: start_at, end: end_at }] : [])),
    days: dates.flatMap(({ day }) => day ?? []),
  };
}

/** Returns a page in the format that the events group uses. */
export function hitsOf<T>(items: T[], { page, limit, total }: { page: number; limit: number; total: number }) {
  return {
    hits: items,
    meta: {
      pagination: {
        total,
        count: items.length,
        per_page: limit,
        current_page: page,
        total_pages: Math.max(Math.ceil(total / limit), 1),
        links: [],
      },
    },
  };
}
