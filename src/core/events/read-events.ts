import type { FieldIssues } from "../../contract/errors.ts";
import type { events as contract } from "../../contract/events.ts";
import { inOrderOf } from "../directory/in-order-of.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { inTurns } from "../pipeline/event-loop-turns.ts";
import { requireNoIssues } from "../pipeline/field-issues.ts";
import { eventReader } from "../visibility/event-visibility.ts";
import { readableEventRows, requireReadableEvent, shownEventRows } from "./find-event.ts";
import { findEvents, nextOccurrences, upcomingOccurrences } from "./list-events.ts";
import { type Event, hitsOf, occurrences, presentEvent } from "./present-events.ts";

export function periodIssues(start: number | undefined, end: number | undefined): FieldIssues {
  const isOver = start !== undefined && end !== undefined && end < start;
  return isOver ? { end: ["must not be before the start"] } : {};
}

export const eventReadHandlers = {
  async list(ctx, input) {
    const { start, end } = input;
    requireNoIssues(periodIssues(start, end));
    const { ids, total } = await findEvents(ctx, input);
    return hitsOf(await presentInOrder(ctx, ids), { ...input, total });
  },

  get: (ctx, { id }) => loadEvent(ctx, id),

  async upcoming(ctx) {
    const dates = await nextOccurrences(ctx);
    const ids = [...new Set(dates.map((row) => row.event_id))];
    const events = new Map((await presentInOrder(ctx, ids)).map((event) => [event.id, event]));
    const hits = dates.map((row) => {
      // The occurrences are of events that the actor can read.
      const { shared, ...event } = events.get(row.event_id)!;
      return { ...event, ...occurrences([row]), date: row.day };
    });
    return hitsOf(hits, { page: 1, limit: upcomingOccurrences, total: hits.length });
  },
} satisfies Partial<Handlers<typeof contract>>;

/** Returns an event as the actor sees it. Throws like `readableEvent`. */
export async function loadEvent(ctx: Ctx, id: number): Promise<Event> {
  const [row] = await shownEventRows(ctx.db, { ...eventReader(ctx.actor), ids: [id] });
  return presentEvent(ctx, requireReadableEvent(row, id));
}

/** Events that are read together, of at most 4 MB of texts, before other requests can run. */
const portion = 50;

async function presentInOrder(ctx: Ctx, ids: readonly number[]): Promise<Event[]> {
  const events: Event[] = [];
  for await (const some of inTurns(ids, portion)) {
    const rows = await readableEventRows(ctx.db, { ...eventReader(ctx.actor), ids: some });
    events.push(...inOrderOf(some, rows).map((row) => presentEvent(ctx, row)));
  }
  return events;
}
