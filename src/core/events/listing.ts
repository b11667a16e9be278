import { sql } from "kysely";
import { type events as contract, countedBeyond, furthestEvent } from "../../contract/events.ts";
import { isAmong } from "../../store/dialect.ts";
import { readable, readerOf } from "../audience.ts";
import type { Ctx, Handlers } from "../context.ts";
import { fewAudiences } from "./few.ts";
import { ability } from "./finding.ts";

const few = 2000;

type Input = Parameters<Handlers<typeof contract>["list"]>[1];

/** IDs of a page of the events that the actor may read, by their first occurrence in the range, and how many there are. */
export async function findEvents(
  ctx: Ctx,
  { page, limit, ...filter }: Input,
): Promise<{ ids: number[]; total: number }> {
  const before = (page - 1) * limit;
  // Both from one statement: how many there are is known once those beyond the page were looked for.
  const found = await matching(ctx, filter, Math.min(before + limit + countedBeyond, furthestEvent));
  return { ids: found.slice(before, before + limit).map(({ id }) => id), total: found.length };
}

async function matching(ctx: Ctx, { type, uid, start, end }: Omit<Input, "page" | "limit">, most: number) {
  const { db } = ctx;
  const reader = readerOf(ctx.actor, ability);
  const audiences = await fewAudiences(db, reader, few);
  let query = db
    .selectFrom("events as e")
    .innerJoin("audiences as a", "a.id", "e.audience_id")
    .select("e.id")
    .where("e.deleted_at", "is", null)
    .where(readable(db, "a", reader))
    .limit(most);
  if (audiences !== undefined) query = query.where((eb) => isAmong(db, eb.ref("e.audience_id"), audiences));
  if (type !== undefined) query = query.where("e.type", "=", type);
  if (uid !== undefined) query = query.where((eb) => isAmong(db, eb.ref("e.uid"), uid));
  if (start === undefined) {
    // An event's own start is its first occurrence.
    if (end !== undefined) query = query.where("e.start_at", "<=", end);
    return query.orderBy("e.start_at").orderBy("e.id").execute();
  }
  // Of few events each is asked for its first one in the range; else what occurs, in order, whether it is the first.
  const first =
    audiences === undefined
      ? sql<boolean>`not exists (select 1 from event_dates x
          where x.event_id = d.event_id and x.start_at >= ${start} and x.start_at < d.start_at)`
      : sql<boolean>`d.start_at = (select min(x.start_at) from event_dates x
          where x.event_id = e.id and x.start_at >= ${start})`;
  let inRange = query
    .innerJoin("event_dates as d", "d.event_id", "e.id")
    .where("e.last_at", ">=", start)
    .where("d.start_at", ">=", start)
    .where(first);
  if (end !== undefined) inRange = inRange.where("d.start_at", "<=", end);
  return inRange.orderBy("d.start_at").orderBy("d.event_id").execute();
}
