import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import { isAmong } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { Schema } from "../../store/schema.ts";
import { type Reader, readable, readerOf } from "../audience.ts";
import type { Ctx } from "../context.ts";
import { fewAudiences } from "./few.ts";
import { ability } from "./finding.ts";
import type { DateRow } from "./rows.ts";
import { spans } from "./spans.ts";

/** Of more events than these, some will be among what comes soon. */
const few = 500;
/** By how much one day can be longer than another, where clocks are changed. */
const longerDay = 7200;

/** The next occurrences that the actor may read, running ones included, by their start. */
export async function nextOccurrences(ctx: Ctx, most: number): Promise<DateRow[]> {
  const { db, now } = ctx;
  const reader = readerOf(ctx.actor, ability);
  const audiences = await fewAudiences(db, reader, few);
  if (audiences === undefined) return nextOfAll(db, { ...reader, now, most });
  return nextOfFew(db, { ...reader, now, most, audiences });
}

type Parameters = Reader & { readonly now: number; readonly most: number };

/** Event by event its own next occurrences, and of those the first. */
const nextOfFew = prepared((db, p: Parameters & { readonly audiences: readonly number[] }) => {
  const next = sql<number>`(select x.start_at from event_dates x where x.event_id = e.id
    and x.start_at > ${p.now} - (e.end_at - e.start_at) - ${sql.lit(longerDay)}
    and (x.end_at > ${p.now} or x.start_at >= ${p.now}) order by x.start_at limit ${p.most})`;
  return readableDates(db, p)
    .where((eb) => isAmong(db, eb.ref("e.audience_id"), p.audiences))
    .where("e.last_at", ">=", p.now)
    .where("d.start_at", "in", next);
});

/** The first that are still running of each class of lengths, the first that are to come, and of all those the first. */
const nextOfAll = prepared((db, p: Parameters) => {
  const first = (condition: RawBuilder<SqlBool>) =>
    db.selectFrom(readableDates(db, p).where(condition).as("n")).selectAll();
  const running = spans.map((seconds, span) =>
    first(sql`(d.span = ${sql.lit(span)} and d.start_at > ${p.now} - ${sql.lit(seconds)}
      and d.start_at < ${p.now} and d.end_at > ${p.now})`),
  );
  const all = running.reduce((before, each) => before.unionAll(each), first(sql`d.start_at >= ${p.now}`));
  return db
    .selectFrom(all.as("next"))
    .selectAll()
    .orderBy("start_at")
    .orderBy("event_id")
    .limit(sql<number>`${p.most}`);
});

function readableDates(db: Kysely<Schema>, p: Parameters) {
  return db
    .selectFrom("event_dates as d")
    .innerJoin("events as e", "e.id", "d.event_id")
    .innerJoin("audiences as a", "a.id", "e.audience_id")
    .select(["d.event_id", "d.start_at", "d.end_at", "d.day"])
    .where("e.deleted_at", "is", null)
    .where(readable(db, "a", p))
    .orderBy("d.start_at")
    .orderBy("d.event_id")
    .limit(sql<number>`${p.most}`);
}
