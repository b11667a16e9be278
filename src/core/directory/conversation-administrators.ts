import { type Expression, sql } from "kysely";
import { locking } from "../../store/dialect.ts";
import type { Ctx } from "../pipeline/context.ts";

/** Appoints an administrator of each group without an active one: the first active participant, else the first who can be reactivated. */
export async function appointAdministrators({ db }: Ctx, conversations: Expression<unknown>): Promise<void> {
  await sql`update conversation_participants set role = 'administrator' where (conversation_id, user_id) in (
    select conversation_id, user_id from (
      select p.conversation_id, p.user_id, row_number() over (partition by p.conversation_id
        order by u.active desc, u.deleted_at is not null, p.role, p.joined_position, p.user_id) as place
      from conversation_participants p
      join conversations c on c.id = p.conversation_id and c.type = 'group'
      join users u on u.id = p.user_id
      where p.conversation_id in (${conversations})
    ) ranked where place = 1) and role <> 'administrator'`.execute(db);
}

/** Appoints administrators of the groups of users who were activated, deactivated or deleted. */
export async function appointInsteadOf(ctx: Ctx, users: readonly number[]): Promise<void> {
  const participants = ctx.db.selectFrom("conversation_participants");
  const groups = participants.select("conversation_id").where("user_id", "in", users);
  const administrators = participants.select("user_id").where("conversation_id", "in", groups);
  // Changes of participants lock the row of the administrator who makes them, and are not serializable.
  await locking(ctx.db, administrators.where("role", "=", "administrator")).execute();
  await appointAdministrators(ctx, groups);
}

/** Ends the role of a deleted user as administrator of group conversations, except where everybody else was deleted, too. */
export async function resignFromConversations(ctx: Ctx, user: number): Promise<void> {
  await appointInsteadOf(ctx, [user]);
  await sql`update conversation_participants set role = 'member' where user_id = ${user} and role = 'administrator'
    and exists (select 1 from conversation_participants other where other.role = 'administrator'
      and other.conversation_id = conversation_participants.conversation_id and other.user_id <> ${user})`.execute(
    ctx.db,
  );
}
