import { sql } from "kysely";
import { listed } from "../../store/dialect.ts";
import type { Ctx } from "../pipeline/context.ts";
import { placeInFeed, placesFor, placesOf } from "../visibility/feed-index.ts";
import { eventAudienceOf, type Readers } from "./event-audience.ts";
import { ability } from "./find-event.ts";

/** The `previous_at` of an event's first occurrence: earlier than all times, so that a single comparison suffices. */
export const never = Number.MIN_SAFE_INTEGER;

interface IndexedEvent {
  readonly id: number;
  readonly author: number;
  readonly readers: Readers;
}

/** Adds the occurrences of an event to the feed index. */
export async function placeEvent({ db }: Ctx, event: IndexedEvent): Promise<void> {
  await sql`insert into event_places (place, start_at, event_id, end_at, span, previous_at)
    select place.value, d.start_at, d.event_id, d.end_at, d.span,
      lag(d.start_at, 1, ${sql.lit(never)}) over (partition by place.value order by d.start_at)
    from event_dates d cross join ${listed(db, "place", placesOfEvent(event))}
    where d.event_id = ${event.id}`.execute(db);
}

/** Removes the occurrences of an event from the feed index. Must run before its occurrences or readers change. */
export async function displaceEvent({ db }: Ctx, event: IndexedEvent): Promise<void> {
  await db
    .deleteFrom("event_places")
    .where("place", "in", placesOfEvent(event))
    .where("start_at", "in", (eb) =>
      eb.selectFrom("event_dates as d").select("d.start_at").where("d.event_id", "=", event.id),
    )
    .where("event_id", "=", event.id)
    .execute();
}

function placesOfEvent({ author, readers }: IndexedEvent): string[] {
  const common = readers.type === "user" ? [] : [placeInFeed.common];
  return [...placesOf(eventAudienceOf(readers), { author, owner: readers.owner }), ...common];
}

/** Returns the places of all events that the actor may read. */
export async function placesOfReader(ctx: Ctx): Promise<string[]> {
  const { id } = ctx.actor;
  return (
    (await placesFor(ctx, "readable", [ability])) ?? [placeInFeed.common, placeInFeed.author(id), placeInFeed.share(id)]
  );
}
