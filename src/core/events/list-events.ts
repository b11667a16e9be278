import { type RawBuilder, type SqlBool, sql } from "kysely";
import { eventTypes } from "../../contract/event-schemas.ts";
import { type events as contract, countedBeyond, furthestEvent } from "../../contract/events.ts";
import { forEach, isAmong, listed } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { type Reader, readable, readerOf } from "../visibility/audience.ts";
import { ability } from "./find-event.ts";
import { never, placesOfReader } from "./index-event.ts";

type Input = Parameters<Handlers<typeof contract>["list"]>[1];
type Filter = Omit<Input, "page" | "limit">;

/**
 * Returns the IDs of a page of events that the actor may read, ordered by their first occurrence in the range, and
 * their total number.
 */
export async function findEvents(
  ctx: Ctx,
  { page, limit, ...filter }: Input,
): Promise<{ ids: number[]; total: number }> {
  const before = (page - 1) * limit;
  // Events beyond the page are searched, too, up to a limit, because the total counts them.
  const most = Math.min(before + limit + countedBeyond, furthestEvent);
  const found = await (filter.uid === undefined ? inPlaces(ctx, filter, most) : withUid(ctx, filter, most));
  return { ids: found.slice(before, before + limit), total: found.length };
}

/** Searches the actor's places in the order of the list until `most` events are found. */
async function inPlaces(ctx: Ctx, { type, start, end = Number.MAX_SAFE_INTEGER }: Filter, most: number) {
  const { db } = ctx;
  const kinds = type === undefined ? eventTypes : [type];
  const places = await placesOfReader(ctx);
  const candidates = start === undefined ? firstOccurrences : firstOccurrencesSince;
  const found: number[] = [];
  let last = { start_at: start ?? never, event_id: 0 };
  for (let size = most; ; size *= 2) {
    const next = await candidates(db, { ...last, end, start: start ?? never, places, size });
    const ids = next.map((row) => row.event_id);
    const rows = await readableAmong(db, { ...readerOf(ctx.actor, ability), ids, kinds });
    const fitting = new Set(rows.map((row) => row.id));
    found.push(...ids.filter((id) => fitting.has(id)));
    const furthest = next.at(-1);
    if (!furthest || next.length < size || found.length >= most) return found.slice(0, most);
    last = furthest;
  }
}

interface Extent {
  /** The position after which the search continues: this occurrence of this event. */
  readonly start_at: number;
  readonly event_id: number;
  readonly end: number;
  readonly start: number;
  readonly places: readonly string[];
  readonly size: number;
}

interface Candidate {
  readonly start_at: number;
  readonly event_id: number;
}

/** Reads up to `size` occurrences from each place and returns the first `size` of them. */
const occurrencesInPlaces = (isFirst: (p: Extent) => RawBuilder<SqlBool>) =>
  prepared((db, p: Extent) => {
    const size = sql<number>`${p.size}`;
    const one = db
      .selectFrom("event_places as ep")
      .select(["ep.place", "ep.start_at", "ep.event_id"])
      .where(sql<SqlBool>`ep.place = place.value`)
      .where(sql<SqlBool>`(ep.start_at, ep.event_id) > (${p.start_at}, ${p.event_id})`)
      .where("ep.start_at", "<=", p.end)
      .where(isFirst(p))
      .orderBy("ep.start_at")
      .orderBy("ep.event_id")
      .limit(size);
    const key = ["place", "start_at", "event_id"];
    const found = forEach(db, listed(db, "place", p.places), one, { table: "event_places", key });
    return db
      .selectFrom(sql<Candidate>`(select found.start_at, found.event_id from ${found})`.as("found"))
      .select(["found.start_at", "found.event_id"])
      .distinct()
      .orderBy("found.start_at")
      .orderBy("found.event_id")
      .limit(size);
  });

const firstOccurrences = occurrencesInPlaces(() => sql<SqlBool>`ep.previous_at = ${sql.lit(never)}`);
const firstOccurrencesSince = occurrencesInPlaces((p) => sql<SqlBool>`ep.previous_at < ${p.start}`);

const readableAmong = prepared((db, p: Reader & { ids: readonly number[]; kinds: readonly string[] }) =>
  db
    .selectFrom("events as e")
    .innerJoin("audiences as a", "a.id", "e.audience_id")
    .select("e.id")
    .where((eb) => isAmong(db, eb.ref("e.id"), p.ids))
    .where(isAmong(db, sql.ref<string>("e.type"), p.kinds))
    .where("e.deleted_at", "is", null)
    .where(readable(db, "a", p)),
);

/** Searches the event dates directly, because only few events share a unique ID. */
async function withUid({ db, actor }: Ctx, { type, uid = [], start, end }: Filter, most: number): Promise<number[]> {
  const since = start === undefined ? sql`` : sql`and x.start_at >= ${start}`;
  const first = sql<number>`(select min(x.start_at) from event_dates x where x.event_id = e.id ${since})`;
  let query = db
    .selectFrom("events as e")
    .innerJoin("audiences as a", "a.id", "e.audience_id")
    .innerJoin("event_dates as d", "d.event_id", "e.id")
    .select("e.id")
    .where((eb) => isAmong(db, eb.ref("e.uid"), uid))
    .where("e.deleted_at", "is", null)
    .where("d.start_at", "=", first)
    .where(readable(db, "a", readerOf(actor, ability)))
    .orderBy("d.start_at")
    .orderBy("e.id")
    .limit(most);
  if (type !== undefined) query = query.where("e.type", "=", type);
  if (end !== undefined) query = query.where("d.start_at", "<=", end);
  return (await query.execute()).map((row) => row.id);
}
