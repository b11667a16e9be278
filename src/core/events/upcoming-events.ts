import { type RawBuilder, type SqlBool, sql } from "kysely";
import { forEach, listed } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx } from "../pipeline/context.ts";
import type { DateRow } from "./event-rows.ts";
import { type IndexReader, indexReaderOf, readableEntry } from "./index-event.ts";
import { lastShortSpan, spans } from "./occurrence-spans.ts";

export const upcomingOccurrences = 3;

/** Returns the next occurrences that the actor may read, including running ones, ordered by start. */
export async function nextOccurrences(ctx: Ctx): Promise<DateRow[]> {
  return nextInPlaces(ctx.db, { ...(await indexReaderOf(ctx)), now: ctx.now });
}

const longSpans = spans.map((seconds, span) => ({ span, seconds })).filter(({ span }) => span > lastShortSpan);

/** Finds in each place the first occurrences that end after now and, by class, the first long ones that are running. */
const nextInPlaces = prepared((db, p: IndexReader & { readonly now: number }) => {
  const first = (outer: RawBuilder<unknown>, condition: RawBuilder<SqlBool>) => {
    const one = db
      .selectFrom("event_places as ep")
      .select(["ep.place", "ep.start_at", "ep.event_id"])
      .where(sql<SqlBool>`ep.place = place.value`)
      .where(condition)
      .where(readableEntry(db, p))
      .orderBy("ep.start_at")
      .orderBy("ep.event_id")
      .limit(sql.lit(upcomingOccurrences));
    const key = ["place", "start_at", "event_id"];
    return sql`select found.start_at, found.event_id from ${forEach(db, outer, one, { table: "event_places", key })}`;
  };
  const places = listed(db, "place", p.places);
  const shortest = sql.lit(spans[lastShortSpan]);
  const soon = sql<SqlBool>`ep.start_at > ${p.now} - ${shortest} and (ep.end_at > ${p.now} or ep.start_at >= ${p.now})`;
  const classes = sql.join(
    longSpans.map(({ span, seconds }) => sql`select ${sql.lit(span)} as span, ${sql.lit(seconds)} as seconds`),
    sql` union all `,
  );
  const running = sql<SqlBool>`ep.span > ${sql.lit(lastShortSpan)} and ep.span = class.span
    and ep.start_at > ${p.now} - class.seconds and ep.start_at < ${p.now} and ep.end_at > ${p.now}`;
  const found = sql<{ start_at: number; event_id: number }>`(${first(places, soon)}
    union all ${first(sql`${places} cross join (${classes}) as class`, running)})`;
  return db
    .selectFrom(found.as("next"))
    .innerJoin("event_dates as d", (join) =>
      join.onRef("d.event_id", "=", "next.event_id").onRef("d.start_at", "=", "next.start_at"),
    )
    .select(["d.event_id", "d.start_at", "d.end_at", "d.day"])
    .distinct()
    .orderBy("d.start_at")
    .orderBy("d.event_id")
    .limit(sql.lit(upcomingOccurrences));
});
