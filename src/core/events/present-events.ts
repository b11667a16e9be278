import { sql } from "kysely";
import type { z } from "zod";
import type { event } from "../../contract/event-schemas.ts";
import type { Db } from "../../store/database.ts";
import { isAmong } from "../../store/dialect.ts";
import { nested, rowsIn } from "../../store/nested-rows.ts";
import { prepared } from "../../store/prepared.ts";
import { filesOf, presentNestedFiles } from "../files/attached-files.ts";
import type { Ctx } from "../pipeline/context.ts";
import { audienceLists, listsIn, mayEdit } from "../visibility/audience.ts";
import type { DateRow, EventRow } from "./event-rows.ts";
import { ability } from "./find-event.ts";

export type Event = z.infer<ReturnType<typeof event>>;

const partsByEvent = prepared((db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("events as e")
    .select("e.id")
    .select(audienceLists(db, "e.audience_id"))
    .select([filesOf(db, "event", "e.id").as("files"), datesIn(db).as("dates")])
    .where((eb) => isAmong(db, eb.ref("e.id"), p.ids)),
);

const datesIn = (db: Db) =>
  nested(
    db,
    db
      .selectFrom("event_dates as d")
      .select(["d.start_at", "d.end_at", "d.day"])
      .where("d.event_id", "=", sql.ref<number>("e.id"))
      .orderBy("d.start_at"),
  );

type Parts = Awaited<ReturnType<typeof partsByEvent>>[number];

/** Returns the API's representation of events, in the order of `rows`. Runs a constant number of queries. */
export async function presentEvents(ctx: Ctx, rows: readonly EventRow[]): Promise<Event[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const parts = new Map((await partsByEvent(ctx.db, { ids })).map((row) => [row.id, row]));
  return rows.flatMap((row) => {
    const own = parts.get(row.id);
    return own === undefined ? [] : [present(ctx, row, own)];
  });
}

function present(ctx: Ctx, row: EventRow, parts: Parts): Event {
  const edits = mayEdit(ctx.actor, ability, row);
  const audience = listsIn(parts);
  const files = presentNestedFiles(ctx, parts.files);
  const uploads = files.filter((file) => file.type === "upload").length;
  // Fields that follow a spread are slow to add and to write as JSON.
  const { dates, days } = occurrences(rowsIn(parts.dates));
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
