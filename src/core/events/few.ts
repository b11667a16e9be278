import { sql } from "kysely";
import type { Db } from "../../store/database.ts";
import { isAmong, listed } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { Reader } from "../audience.ts";

/** An ability to edit that reaches further is not followed unit by unit. */
const nearbyUnits = 200;

const nearby = prepared((db, p: { reach: readonly string[] }) =>
  db
    .selectFrom("units")
    .select((eb) => eb.fn.sum<number>(eb("descendant_count", "+", 1)).as("units"))
    .where((eb) => isAmong(db, eb.ref("path"), p.reach)),
);

/** By each way in which an event can become readable; events are never for a group, nor for all units. */
const candidates = prepared((db, p: Omit<Reader, "everything"> & { most: number }) => {
  const among = (column: string, values: readonly number[]) => isAmong(db, sql.ref<number>(column), values);
  const authored = sql`select id from audiences where author_id = ${p.me} and kind = 'event'`;
  const shared = sql`select a.id from audience_shares s join audiences a on a.id = s.audience_id
    where s.user_id = ${p.me} and a.kind = 'event'`;
  const inUnits = (falldown: 0 | 1, units: readonly number[]) => sql`select audience_id from audience_units
    where kind = 'event' and falldown = ${sql.lit(falldown)} and ${among("unit_id", units)}`;
  // Joined in this order, or SQLite looks at all audiences.
  const owned = sql`select a.id from ${listed(db, "reach", p.reach)} cross join units o cross join audiences a
    where o.path >= reach.value and o.path < substr(reach.value, 1, length(reach.value) - 1) || '0'
    and a.owner_unit_id = o.id and a.kind = 'event'`;
  const all = sql<{ id: number }>`(${authored} union all ${shared} union all ${inUnits(0, p.units)}
    union all ${inUnits(1, p.branch)} union all ${owned})`;
  return db.selectFrom(all.as("candidates")).select("id").limit(sql<number>`${p.most}`);
});

/**
 * IDs of the audiences of all events that the reader may be able to read, if they are `few` at most; the rule decides then.
 * Of few events it is quicker to ask when they occur than to ask of what occurs, in order, whether it may be read.
 */
export async function fewAudiences(db: Db, reader: Reader, few: number): Promise<number[] | undefined> {
  if (reader.everything === 1) return undefined;
  if (reader.reach.length > 0) {
    const [reached] = await nearby(db, { reach: reader.reach });
    if (Number(reached?.units ?? 0) > nearbyUnits) return undefined;
  }
  const found = await candidates(db, { ...reader, most: few + 1 });
  return found.length > few ? undefined : [...new Set(found.map(({ id }) => id))];
}
