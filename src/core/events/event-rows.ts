import { isAmong, truth } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import { type Reader, readable } from "../visibility/audience.ts";

/** Returns events with the reader's marks, including deleted events; `reads` tells whether the reader may read them. */
export const eventRows = prepared((db, p: Reader & { ids: readonly number[] }) =>
  db
    .selectFrom("events as e")
    .innerJoin("audiences as a", "a.id", "e.audience_id")
    .innerJoin("users as author", "author.id", "a.author_id")
    .leftJoin("units as owner", "owner.id", "a.owner_unit_id")
    .leftJoin("event_marks as m", (join) => join.onRef("m.event_id", "=", "e.id").on("m.user_id", "=", p.me))
    .selectAll("e")
    .select([
      "a.author_id",
      "a.personal",
      "a.owner_unit_id",
      "author.first_name",
      "author.last_name",
      "owner.path as owner_path",
    ])
    .select(["m.seen_at", "m.answer"])
    .select(truth(readable(db, "a", p)).as("reads"))
    .where((eb) => isAmong(db, eb.ref("e.id"), p.ids)),
);
export type EventRow = Awaited<ReturnType<typeof eventRows>>[number];

/** Returns all occurrences of events, in order for each event. */
export const datesOf = prepared((db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("event_dates")
    .select(["event_id", "start_at", "end_at", "day"])
    .where((eb) => isAmong(db, eb.ref("event_id"), p.ids))
    .orderBy("event_id")
    .orderBy("start_at"),
);
export type DateRow = Awaited<ReturnType<typeof datesOf>>[number];
