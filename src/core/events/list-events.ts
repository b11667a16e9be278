import { type RawBuilder, type SqlBool, sql } from "kysely";
import { countedBeyond } from "../../contract/event-schemas.ts";
import { type events as contract, furthestEvent } from "../../contract/events.ts";
import type { Db } from "../../store/database.ts";
import { isPostgres, listed, rowCount, truth } from "../../store/dialect.ts";
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
  const places = await placesOfReader(ctx);
  const found: number[] = [];
  let last = { start_at: start ?? never, event_id: 0 };
  let size = most;
  while (true) {
    const extent = { ...last, end, places, size };
    const inEach = await (start === undefined ? firstInPlaces(db, extent) : firstSince(db, { ...extent, start }));
    const next = firstOf(inEach.flatMap(candidatesOf), size);
    const ids = next.map((row) => row.event_id);
    const rows = await refusedAmong(db, { ...readerOf(ctx.actor, ability), ids, type: type ?? null });
    const refused = new Set(rows.map((row) => row.id));
    found.push(...ids.filter((id) => !refused.has(id)));
    const furthest = next.at(-1);
    if (!furthest || next.length < size || found.length >= most) return found.slice(0, most);
    last = furthest;
    // At most as many are missing as were refused, so this suffices unless more than half are refused again.
    size = 2 * refused.size;
  }
}

interface Extent {
  /** The position after which the search continues: this occurrence of this event. */
  readonly start_at: number;
  readonly event_id: number;
  readonly end: number;
  readonly places: readonly string[];
  readonly size: number;
}

interface Candidate {
  readonly start_at: number;
  readonly event_id: number;
}

/** The candidates of a place: a list of starts and one of events, which are quicker to write and to parse than objects. SQLite returns text. */
interface PlaceRow {
  readonly found: string | readonly [starts: readonly number[], events: readonly number[]] | null;
}

function candidatesOf({ found }: PlaceRow): Candidate[] {
  if (found === null) return [];
  const [starts, events]: Exclude<typeof found, string> = typeof found === "string" ? JSON.parse(found) : found;
  // Both lists are of the same rows.
  return starts.map((start_at, at) => ({ start_at, event_id: events[at]! }));
}

/** Returns the first `size` occurrences in their order, each once. */
function firstOf(candidates: readonly Candidate[], size: number): Candidate[] {
  const sorted = candidates.toSorted((a, b) => a.start_at - b.start_at || a.event_id - b.event_id);
  return sorted
    .filter(({ start_at, event_id }, at) => {
      const before = sorted[at - 1];
      return before?.event_id !== event_id || before.start_at !== start_at;
    })
    .slice(0, size);
}

/** Returns up to `size` occurrences of each place. They are put together by the program, because SQLite takes four times as long. */
const occurrencesIn = (db: Db, p: Extent, isFirst: RawBuilder<SqlBool>) => {
  const one = db
    .selectFrom("event_places as ep")
    .select(["ep.start_at", "ep.event_id"])
    .where(sql<SqlBool>`ep.place = place.value`)
    .where(sql<SqlBool>`(ep.start_at, ep.event_id) > (${p.start_at}, ${p.event_id})`)
    .where("ep.start_at", "<=", p.end)
    .where(isFirst)
    .orderBy("ep.start_at")
    .orderBy("ep.event_id")
    .limit(rowCount(p.size));
  const [pair, list] = isPostgres(db)
    ? [sql`json_build_array`, sql`json_agg`]
    : [sql`json_array`, sql`json_group_array`];
  return sql<PlaceRow>`select (select ${pair}(${list}(one.start_at), ${list}(one.event_id)) from ${one} as one
    having count(*) > 0) as found from ${listed(db, "place", p.places)}`;
};

const firstInPlaces = prepared((db, p: Extent) =>
  occurrencesIn(db, p, sql<SqlBool>`ep.previous_at = ${sql.lit(never)}`),
);

const firstSince = prepared((db, p: Extent & { readonly start: number }) =>
  occurrencesIn(db, p, sql<SqlBool>`ep.previous_at < ${p.start}`),
);

/**
 * Returns the events that the reader may not read or that have another type: usually none, while each row that is handed over
 * takes a tenth of the time of its check.
 */
const refusedAmong = prepared((db, p: Reader & { ids: readonly number[]; type: string | null }) =>
  db
    .selectFrom("events as e")
    .innerJoin("audiences as a", "a.id", "e.audience_id")
    .select("e.id")
    .where("e.id", "in", p.ids)
    .where(
      truth(sql`(cast(${p.type} as text) is null or e.type = ${p.type})
        and e.deleted_at is null and ${readable(db, "a", p)}`),
      "=",
      sql.lit(0),
    ),
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
    .where("e.uid", "in", uid)
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
