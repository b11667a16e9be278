import { sql } from "kysely";
import { isAmong } from "../../store/dialect.ts";
import { type Reader, readable, readerOf } from "../audience.ts";
import type { Ctx } from "../context.ts";
import { fewAudiences } from "./few.ts";
import { ability } from "./finding.ts";
import type { DateRow } from "./rows.ts";
import { spans } from "./spans.ts";

/** The next occurrences that the actor may read, running ones included, by their start. */
export async function nextOccurrences(ctx: Ctx, most: number): Promise<DateRow[]> {
  const { now } = ctx;
  const reader = readerOf(ctx.actor, ability);
  const audiences = await fewAudiences(ctx.db, reader);
  if (audiences !== undefined) {
    const next = sql<number>`(select x.start_at from event_dates x where x.event_id = e.id
      and x.start_at > ${now} - (e.end_at - e.start_at) - ${sql.lit(longerDay)}
      and (x.end_at > ${now} or x.start_at >= ${now}) order by x.start_at limit ${sql.lit(most)})`;
    return readableDates(ctx, reader, most)
      .where((eb) => isAmong(ctx.db, eb.ref("e.audience_id"), audiences))
      .where("d.start_at", "in", next)
      .execute();
  }
  const running = await readableDates(ctx, reader, most)
    .innerJoin(classes, (join) => join.onRef("s.span", "=", "d.span"))
    .where("d.start_at", "<", now)
    .where("d.start_at", ">", sql<number>`${now} - s.seconds`)
    .where("d.end_at", ">", now)
    .execute();
  if (running.length === most) return running;
  const later = await readableDates(ctx, reader, most - running.length)
    .where("d.start_at", ">=", now)
    .execute();
  return [...running, ...later];
}

/** By how much one day can be longer than another, where clocks are changed. */
const longerDay = 7200;

const classes = sql<{ span: number; seconds: number }>`(${sql.join(
  spans.map((seconds, span) => sql`select ${sql.lit(span)} as span, ${sql.lit(seconds)} as seconds`),
  sql` union all `,
)})`.as("s");

function readableDates({ db }: Ctx, reader: Reader, most: number) {
  return db
    .selectFrom("event_dates as d")
    .innerJoin("events as e", "e.id", "d.event_id")
    .innerJoin("audiences as a", "a.id", "e.audience_id")
    .select(["d.event_id", "d.start_at", "d.end_at", "d.day"])
    .where("e.deleted_at", "is", null)
    .where(readable(db, "a", reader))
    .orderBy("d.start_at")
    .orderBy("d.event_id")
    .limit(most);
}
