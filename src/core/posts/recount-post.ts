import { type RawBuilder, sql } from "kysely";
import { findRow, lastId, updateRow } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { isPostgres } from "../../store/dialect.ts";
import { serviceProvider } from "../directory/service-accounts.ts";
import type { Ctx } from "../pipeline/context.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";
import type { PostRow } from "./find-post.ts";
import { storedEvent } from "./stored-event.ts";

/** Counting stops at this number of readers. */
const maxCounted = 100_000;
/** User IDs among which a statement looks for readers, for up to 30 ms, when no other request can run on SQLite. */
export const rangeLength = 5000;
/** More rows than there are: a limit that only keeps databases from merging a subquery with the statement around it. */
const maxRows = Number.MAX_SAFE_INTEGER;

/** Counts the readers of a post, up to `maxCounted`. Other requests can run in between. */
async function countReaders(db: Db, audience: number): Promise<number> {
  // PostgreSQL does not block other requests, and counts all at once more quickly.
  if (isPostgres(db)) return countIn(db, audience);
  const max = await lastId(db, "users");
  let count = 0;
  for (let from = 0; from < max && count < maxCounted; from += rangeLength) {
    if (from > 0) await takeTurn();
    count += await countIn(db, audience, { from, to: from + rangeLength });
  }
  return Math.min(count, maxCounted);
}

async function countIn(db: Db, audience: number, range?: IdRange): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
    ${readersIn(audience, range)} limit ${maxCounted}) as counted`.execute(db);
  return rows[0]?.count ?? 0;
}

interface IdRange {
  /** Exclusive. */
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
}

/** Selects the IDs, in a range or all, of the active users that a post is addressed to, without service accounts. */
export function readersIn(audience: number, range?: IdRange): RawBuilder<unknown> {
  const inRange = (column: string) =>
    range ? sql`${sql.ref(column)} > ${range.from} and ${sql.ref(column)} <= ${range.to}` : sql`true`;
  // PostgreSQL would read all holders of a type even for few users, and do so for each user without statistics, as after a
  // large import. The offset keeps it from that, in the subquery of each table.
  const ofEach = range ? sql`limit 1 offset 0` : sql``;
  const ofType = sql`(not exists (select 1 from audience_user_types k where k.audience_id = ${audience}) or exists (
    select 1 from memberships h where h.user_id = r.user_id and exists (
      select 1 from membership_user_types mt where mt.membership_id = h.id and exists (
        select 1 from audience_user_types k
        where k.audience_id = ${audience} and k.user_type_id = mt.user_type_id ${ofEach}) ${ofEach}) ${ofEach}))`;
  // SQLite keeps the order of a cross join; else it could read all users for each unit.
  const inUnits = sql`
    select users.id as user_id from users, audiences a
      where a.id = ${audience} and a.everywhere = 1 and ${inRange("users.id")}
    union all select m.user_id from audience_units au cross join memberships m
      where au.audience_id = ${audience} and m.unit_id = au.unit_id and ${inRange("m.user_id")}
    union all select m.user_id from audience_units au cross join units top cross join units n cross join memberships m
      where au.audience_id = ${audience} and au.falldown = 1 and top.id = au.unit_id and m.unit_id = n.id
        and n.path > top.path and n.path < substr(top.path, 1, length(top.path) - 1) || '0' and ${inRange("m.user_id")}`;
  // With the condition on types in each part, PostgreSQL could choose an index of memberships that does not begin with the unit.
  const addressed = sql`
    select r.user_id from (${inUnits} limit ${maxRows} offset 0) r where ${ofType}
    union all select user_id from audience_shares where audience_id = ${audience} and ${inRange("user_id")}
    union all select g.user_id from group_members g join audiences a on a.group_id = g.group_id
      where a.id = ${audience} and ${inRange("g.user_id")}
    union all select author_id from audiences where id = ${audience} and ${inRange("author_id")}`;
  // Without statistics, PostgreSQL would compare each user with each reader; the offset keeps it from a join.
  return sql`select distinct c.user_id as id from (${addressed}) c where exists (
    select 1 from users u where u.id = c.user_id and u.active = 1 and u.provider <> ${serviceProvider} limit 1 offset 0)`;
}

type Counted = Pick<PostRow, "audience_id" | "confirm_enabled" | "event">;

/** Returns the number of readers of a post if it needs the number, for confirmations or participation. */
export async function readerCount({ db }: Ctx, post: Counted): Promise<number | null> {
  const asked = post.confirm_enabled === 1 || storedEvent(post)?.participation === true;
  return asked ? await countReaders(db, post.audience_id) : null;
}

export async function recountReaders(ctx: Ctx, id: number): Promise<void> {
  const post = await findRow(ctx.db, "posts", { id }, ["audience_id", "confirm_enabled", "event"]);
  if (post !== undefined) await updateRow(ctx.db, "posts", id, { reader_count: await readerCount(ctx, post) });
}
