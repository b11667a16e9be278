import { sql } from "kysely";
import { updateRow } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import type { Ctx } from "../pipeline/context.ts";
import type { PostRow } from "./post-rows.ts";
import { storedEvent } from "./stored-event.ts";

/** Counting stops at this number of readers. */
const mostCounted = 100_000;

/**
 * Counts the active users that a post is addressed to: by units and user types, by shares and by its group. Stops at
 * `mostCounted`.
 */
async function countReaders(db: Db, audience: number): Promise<number> {
  const ofType = sql`(not exists (select 1 from audience_user_types k where k.audience_id = ${audience}) or exists (
    select 1 from memberships h join membership_user_types mt on mt.membership_id = h.id
    join audience_user_types k on k.audience_id = ${audience} and k.user_type_id = mt.user_type_id
    where h.user_id = m.user_id))`;
  const addressed = sql`
    select m.id as user_id from (select id, id as user_id from users where active = 1) m, audiences a
      where a.id = ${audience} and a.everywhere = 1 and ${ofType}
    union all select m.user_id from audience_units au join memberships m on m.unit_id = au.unit_id
      where au.audience_id = ${audience} and ${ofType}
    union all select m.user_id from audience_units au join units top on top.id = au.unit_id
      join units n on n.path > top.path and n.path < substr(top.path, 1, length(top.path) - 1) || '0'
      join memberships m on m.unit_id = n.id
      where au.audience_id = ${audience} and au.falldown = 1 and ${ofType}
    union all select user_id from audience_shares where audience_id = ${audience}
    union all select g.user_id from group_members g join audiences a on a.group_id = g.group_id where a.id = ${audience}
    union all select author_id from audiences where id = ${audience}`;
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
    select distinct u.id from (${addressed}) c join users u on u.id = c.user_id
    where u.active = 1 limit ${mostCounted}) as counted`.execute(db);
  return rows[0]?.count ?? 0;
}

type Counted = Pick<PostRow, "audience_id" | "confirm_enabled" | "event">;

/** Returns the number of readers of a post if it needs the number, for confirmations or participation. */
export async function readerCount({ db }: Pick<Ctx, "db">, post: Counted): Promise<number | null> {
  const asked = post.confirm_enabled === 1 || storedEvent(post)?.participation === true;
  return asked ? await countReaders(db, post.audience_id) : null;
}

/** Recounts the readers of a post. */
export async function recount({ db }: Pick<Ctx, "db">, id: number): Promise<void> {
  const post = await db
    .selectFrom("posts")
    .select(["audience_id", "confirm_enabled", "event"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const reader_count = await readerCount({ db }, post);
  await updateRow(db, "posts", id, { reader_count });
}
