import type { z } from "zod";
import type { event } from "../../contract/event-schemas.ts";
import { presentFiles } from "../files/attached-files.ts";
import type { Ctx } from "../pipeline/context.ts";
import { loadAudiences, mayEdit } from "../visibility/audience.ts";
import { type DateRow, datesOf, type EventRow } from "./event-rows.ts";
import { ability } from "./find-event.ts";

export type Event = z.infer<ReturnType<typeof event>>;
type Audience = ReturnType<Awaited<ReturnType<typeof loadAudiences>>>;

/** Returns the API's representation of events, in the order of `rows`. Runs a constant number of queries. */
export async function presentEvents(ctx: Ctx, rows: readonly EventRow[]): Promise<Event[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const audienceIds = rows.map((row) => row.audience_id);
  const audiences = await loadAudiences(ctx.db, audienceIds);
  const dates = Map.groupBy(await datesOf(ctx.db, { ids }), (row) => row.event_id);
  const files = await presentFiles(ctx, "event", ids);
  return rows.map((row) =>
    present(ctx, row, {
      audience: audiences(row.audience_id),
      dates: dates.get(row.id) ?? [],
      files: files.get(row.id) ?? [],
    }),
  );
}

function present(
  ctx: Ctx,
  row: EventRow,
  { audience, dates, files }: { audience: Audience; dates: readonly DateRow[]; files: Event["files"] },
): Event {
  const edits = mayEdit(ctx.actor, ability, row);
  const uploads = files.filter((file) => file.type === "upload").length;
  return {
    id: row.id,
    content_type: "event",
    permissions: { edit: edits, delete: edits },
    title: row.title,
    ...occurrences(dates),
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
    seen: row.seen_at !== null,
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
