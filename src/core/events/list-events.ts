import { type RawBuilder, type SqlBool, sql } from "kysely";
import { countedBeyond } from "../../contract/event-schemas.ts";
import { type events as contract, maxListedEvents } from "../../contract/events.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { Db } from "../../store/database.ts";
import { isPostgres, lateralJoin, listed, rowCount } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx } from "../pipeline/context.ts";
import { readable } from "../visibility/audience.ts";
import { eventReader } from "../visibility/event-visibility.ts";
import { lastShortSpan, spanLimits } from "./event-times.ts";
import type { DateRow } from "./find-event.ts";
import { earliestTime, type IndexReader, indexReaderOf, readableEntry } from "./index-event.ts";

type Input = InputOf<typeof contract.list>;
type Filter = Omit<Input, "page" | "limit">;

/** Returns the IDs of a page of readable events by their first occurrence in the range, and their total number. */
export async function findEvents(
  ctx: Ctx,
  { page, limit, ...filter }: Input,
): Promise<{ ids: number[]; total: number }> {
  const before = (page - 1) * limit;
  const size = Math.min(before + limit, maxListedEvents);
  const max = Math.min(before + limit + countedBeyond, maxListedEvents);
  const { ids, total } = await (filter.uid === undefined
    ? inPlaces(ctx, filter, { size, max })
    : withUid(ctx, filter, max));
  return { ids: ids.slice(before, size), total };
}

/** Returns the first `size` events in the actor's places, in the order of the list, and counts up to `max`. */
async function inPlaces(
  ctx: Ctx,
  { type, start, end = Number.MAX_SAFE_INTEGER }: Filter,
  { size, max }: { readonly size: number; readonly max: number },
) {
  const { db } = ctx;
  const reader = await indexReaderOf(ctx, type);
  const search = { ...reader, type: type ?? null, start: start ?? earliestTime, end, size, max };
  const inEach = await (start === undefined ? firstOfAll : firstSince)(db, search);
  const ids = firstOf(inEach.flatMap(candidatesOf), size).map((row) => row.event_id);
  if (ids.length < size) return { ids, total: ids.length };
  const [counted] = await (start === undefined ? countOfAll : countSince)(db, search);
  return { ids, total: Math.max(ids.length, Number(counted?.total)) };
}

interface Search extends IndexReader {
  readonly type: Filter["type"] | null;
  readonly start: number;
  readonly end: number;
  readonly size: number;
  readonly max: number;
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

type Range = (p: Search) => RawBuilder<SqlBool>;
const ofAll: Range = () => sql`ep.previous_at = ${sql.lit(earliestTime)}`;
const since: Range = ({ start }) => sql`ep.start_at >= ${start} and ep.previous_at < ${start}`;

/** Returns the condition that the entry `ep` is in the place of the row `place` and matches the search. */
const matches = (db: Db, p: Search, range: Range) =>
  sql<SqlBool>`(ep.place = place.value and ${range(p)} and ep.start_at <= ${p.end} and ${readableEntry(db, p)}
    and (cast(${p.type} as text) is null or (select e.type from events e where e.id = ep.event_id) = ${p.type}))`;

/** Selects up to `size` occurrences of each place. They are put together by the program, because SQLite takes four times as long. */
function firstQuery(db: Db, p: Search, range: Range) {
  const one = db
    .selectFrom("event_places as ep")
    .select(["ep.start_at", "ep.event_id"])
    .where(matches(db, p, range))
    .orderBy("ep.start_at")
    .orderBy("ep.event_id")
    .limit(rowCount(p.size));
  const [pair, list] = isPostgres(db)
    ? [sql`json_build_array`, sql`json_agg`]
    : [sql`json_array`, sql`json_group_array`];
  return sql<PlaceRow>`select (select ${pair}(${list}(one.start_at), ${list}(one.event_id)) from ${one} as one
    having count(*) > 0) as found from ${listed(db, "place", p.places)}`;
}

const firstOfAll = prepared((db, p: Search) => firstQuery(db, p, ofAll));
const firstSince = prepared((db, p: Search) => firstQuery(db, p, since));

function countQuery(db: Db, p: Search, range: Range) {
  const matching = matches(db, p, range);
  const max = rowCount(p.max);
  // PostgreSQL reads all entries before it removes duplicates.
  const ep = isPostgres(db)
    ? sql`lateral (select ep.start_at, ep.event_id from event_places ep where ${matching} limit ${max}) as ep`
    : sql`event_places as ep where ${matching}`;
  return sql<{ total: number | string }>`select count(*) as total from (select distinct ep.start_at, ep.event_id
    from ${listed(db, "place", p.places)} cross join ${ep} limit ${max}) as found`;
}

const countOfAll = prepared((db, p: Search) => countQuery(db, p, ofAll));
const countSince = prepared((db, p: Search) => countQuery(db, p, since));

/** Searches the event dates directly, because only few events share a unique ID. */
async function withUid({ db, actor }: Ctx, { type, uid = [], start, end }: Filter, max: number) {
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
    .where(readable(db, eventReader(actor)))
    .orderBy("d.start_at")
    .orderBy("e.id")
    .limit(max);
  if (type !== undefined) query = query.where("e.type", "=", type);
  if (end !== undefined) query = query.where("d.start_at", "<=", end);
  const ids = (await query.execute()).map((row) => row.id);
  return { ids, total: ids.length };
}

export const upcomingOccurrences = 3;

/** Returns the next occurrences that the actor may read, including running ones, ordered by start. */
export async function nextOccurrences(ctx: Ctx): Promise<DateRow[]> {
  return nextInPlaces(ctx.db, { ...(await indexReaderOf(ctx)), now: ctx.now });
}

const longSpans = spanLimits.map((seconds, span) => ({ span, seconds })).filter(({ span }) => span > lastShortSpan);

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
    return sql`select found.start_at, found.event_id from ${lateralJoin(db, outer, one, { table: "event_places", key })}`;
  };
  const places = listed(db, "place", p.places);
  const shortest = sql.lit(spanLimits[lastShortSpan]);
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
