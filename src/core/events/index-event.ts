import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { FieldIssues } from "../../contract/errors.ts";
import { maxEventEntries } from "../../contract/event-schemas.ts";
import { countRows, deleteRows, findRows } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { flagValue, listed } from "../../store/dialect.ts";
import type { Ctx } from "../pipeline/context.ts";
import { inTurns } from "../pipeline/event-loop-turns.ts";
import { ancestorsOf } from "../pipeline/unit-path.ts";
import { type Reader, readable } from "../visibility/audience.ts";
import { eventAbility, eventReader } from "../visibility/event-visibility.ts";
import { isOfMembers, placeInFeed, placesFor, placesOf } from "../visibility/feed-index.ts";
import { eventAudienceOf, type Readers } from "./event-audience.ts";

/** The `previous_at` of an event's first occurrence: earlier than all times, so that a single comparison suffices. */
export const earliestTime = Number.MIN_SAFE_INTEGER;

interface IndexedEvent {
  readonly id: number;
  readonly author: number;
  readonly readers: Readers;
}

/** Entries that a statement writes, for up to 20 ms, when no other request can run on SQLite. */
const portion = 2000;

export const addEventPlaces = ({ db }: Ctx, event: IndexedEvent): Promise<void> =>
  inPortionsOfPlaces(db, event, (places) =>
    sql`insert into event_places (place, start_at, event_id, end_at, span, previous_at, limited)
    select place.value, d.start_at, d.event_id, d.end_at, d.span,
      lag(d.start_at, 1, ${sql.lit(earliestTime)}) over (partition by place.value order by d.start_at),
      case when ${isOfMembers(sql`place.value`)} then ${flagValue(event.readers.userTypes.length > 0)} else 0 end
    from event_dates d cross join ${listed(db, "place", places)}
    where d.event_id = ${event.id}`.execute(db),
  );

/** Removes the occurrences of an event from the feed index. Must run before its occurrences or readers change. */
export const removeEventPlaces = ({ db }: Ctx, event: IndexedEvent): Promise<void> =>
  // PostgreSQL plans a subquery for the times by statistics, which are old when many occurrences were just added.
  inPortionsOfPlaces(db, event, (places, starts) =>
    deleteRows(db, "event_places", { place: places, start_at: starts, event_id: event.id }),
  );

/** Other requests can run between portions, but their changes wait for the end of this transaction. */
async function inPortionsOfPlaces(
  db: Db,
  event: IndexedEvent,
  write: (places: string[], starts: number[]) => Promise<unknown>,
): Promise<void> {
  const { author, readers } = event;
  const places = placesOf(eventAudienceOf(readers), { author, owner: readers.owner });
  if (readers.type !== "user") places.push(placeInFeed.common);
  const dates = await findRows(db, "event_dates", { event_id: event.id }, ["start_at"]);
  const starts = dates.map(({ start_at }) => start_at);
  const size = Math.ceil(portion / Math.max(1, starts.length));
  for await (const some of inTurns(places, size)) await write(some, starts);
}

export const countOccurrences = (db: Db, event: number): Promise<number> =>
  countRows(db.selectFrom("event_dates").where("event_id", "=", event));

/** Returns an issue of too many index entries, about the larger list if it is `given`, otherwise about the recurrence. */
export function entryIssues(
  { units, shares }: Readers,
  occurrences: number,
  given: { readonly units?: unknown; readonly shares?: unknown },
): FieldIssues {
  const readers = units.length + shares.length;
  if (readers * occurrences <= maxEventEntries) return {};
  const larger = shares.length >= units.length ? "shares" : "units";
  const entries = `${occurrences} occurrences for ${readers} units and users are ${readers * occurrences}`;
  const field = given[larger] === undefined ? "recurrence" : larger;
  return { [field]: [`makes too many entries: ${entries}, and at most ${maxEventEntries} are allowed`] };
}

/** A reader of events, and the places that cover all of them. */
export interface IndexReader extends Reader {
  readonly places: readonly string[];
  /** 1 when the reader may read all entries of these places that are not `limited`. */
  readonly exact: 0 | 1;
}

/** Returns the actor as a reader of all events, or of those of a type. */
export async function indexReaderOf(ctx: Ctx, type?: Readers["type"]): Promise<IndexReader> {
  const { id, admin } = ctx.actor;
  const reader = eventReader(ctx.actor);
  const own = [placeInFeed.author(id), placeInFeed.share(id)];
  // Personal events have no other places.
  const places = type === "user" ? own : await placesFor(ctx, "readable", [eventAbility]);
  if (places !== undefined) return { ...reader, places, exact: 1 };
  // A unit owns each event that is not personal, so that editors of the root may read it.
  const ownsAll = admin || reader.reach.some((path) => ancestorsOf(path).length === 0);
  return { ...reader, places: [placeInFeed.common, ...own], exact: ownsAll ? 1 : 0 };
}

/** Returns the condition that the reader may read the event of the entry `ep` in one of the reader's places. */
export function readableEntry(db: Db, p: IndexReader): RawBuilder<SqlBool> {
  // A subquery as a value is run for each entry in index order. PostgreSQL can turn joins and `exists` into a search of all events.
  return sql<SqlBool>`((ep.limited = 0 and ${p.exact} = 1) or (select 1 from events e join audiences a on a.id = e.audience_id
    where e.id = ep.event_id and ${readable(db, p)}) = 1)`;
}
