import { sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { Db } from "../../store/database.ts";
import { truth } from "../../store/dialect.ts";
import { nested } from "../../store/nested-rows.ts";
import { prepared } from "../../store/prepared.ts";
import type { Schema } from "../../store/schema/schema.ts";
import { filesOf } from "../files/attached-files.ts";
import type { Ctx } from "../pipeline/context.ts";
import { audienceLists, type Reader, readable } from "../visibility/audience.ts";
import { eventAbility, eventReader, mayEditEvent } from "../visibility/event-visibility.ts";

type EventSelection = Reader & { readonly ids: readonly number[] };

const eventQuery = (db: Db, p: EventSelection) =>
  db
    .selectFrom("events as e")
    .innerJoin("audiences as a", "a.id", "e.audience_id")
    .innerJoin("users as author", "author.id", "a.author_id")
    .leftJoin("units as owner", "owner.id", "a.owner_unit_id")
    .leftJoin("event_marks as m", (join) => join.onRef("m.event_id", "=", "e.id").on("m.user_id", "=", p.me))
    .selectAll("e")
    .select(["a.author_id", "a.personal", "a.owner_unit_id", "owner.path as owner_path"])
    .select(["author.first_name", "author.last_name", "m.seen_at", "m.answer"])
    .where("e.id", "in", p.ids);

const reads = (db: Db, p: EventSelection) => truth(readable(db, p)).as("reads");

/** Returns events with the reader's marks, including deleted events; `reads` tells whether the reader may read them. */
const eventRows = prepared((db, p: EventSelection) => eventQuery(db, p).select(reads(db, p)));

/** Selects the parts of an event that its representation contains besides its row. */
const shownEventQuery = (db: Db, p: EventSelection) =>
  eventQuery(db, p)
    .select(audienceLists(db))
    .select([filesOf(db, "event", "e.id").as("files"), datesIn(db).as("dates")]);

const datesIn = (db: Db) =>
  nested(
    db,
    db
      .selectFrom("event_dates as d")
      .select(["d.start_at", "d.end_at", "d.day"])
      .where("d.event_id", "=", sql.ref<number>("e.id")),
  );

/** Returns events as `eventRows`, with everything that `presentEvent` needs. */
export const shownEventRows = prepared((db, p: EventSelection) => shownEventQuery(db, p).select(reads(db, p)));

/** Returns events that the reader may read, as the caller knows, with everything that `presentEvent` needs. */
export const readableEventRows = prepared((db, p: EventSelection) => shownEventQuery(db, p));

export type ShownEventRow = Awaited<ReturnType<typeof readableEventRows>>[number];
export type EventRow = Awaited<ReturnType<typeof eventRows>>[number];

export type DateRow = Omit<Schema["event_dates"], "span">;

/** Returns an event. Throws `gone` when it was deleted, `not_found` when the actor may not read it. */
export async function readableEvent(ctx: Ctx, id: number): Promise<EventRow> {
  const [row] = await eventRows(ctx.db, { ...eventReader(ctx.actor), ids: [id] });
  return requireReadableEvent(row, id);
}

/** Returns the row of an event if the actor may read it. Throws like `readableEvent`. */
export function requireReadableEvent<R extends Pick<EventRow, "reads" | "deleted_at">>(
  row: R | undefined,
  id: number,
): R {
  if (row === undefined || row.reads === 0) throw new ServiceError("not_found", `There is no event ${id}.`);
  if (row.deleted_at !== null) throw new ServiceError("gone", `Event ${id} was deleted.`);
  return row;
}

/** Returns an event. Throws like `readableEvent`, and `forbidden` when the actor may only read it. */
export async function editableEvent(ctx: Ctx, id: number): Promise<EventRow> {
  const row = await readableEvent(ctx, id);
  if (mayEditEvent(ctx.actor, row)) return row;
  const editors = row.personal === 1 ? "its author" : `users with the ability ${eventAbility} in the unit that owns it`;
  throw new ServiceError("forbidden", `Only ${editors} can change event ${id}.`);
}
