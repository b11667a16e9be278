import { sql } from "kysely";
import { updateRows } from "../../store/bulk.ts";
import type { Ctx } from "../pipeline/context.ts";

/**
 * Ends the role of a deleted user as administrator of group conversations. Where there is no other administrator, the active
 * participant who joined first becomes one, so that the group can still be managed.
 */
export async function resignFromConversations({ db }: Ctx, user: number): Promise<void> {
  await sql`update conversation_participants set role = 'administrator' where (conversation_id, user_id) in (
    select conversation_id, user_id from (
      select p.conversation_id, p.user_id,
        row_number() over (partition by p.conversation_id order by p.role, p.joined_position, p.user_id) as place
      from conversation_participants mine
      join conversations c on c.id = mine.conversation_id and c.type = 'group'
      join conversation_participants p on p.conversation_id = mine.conversation_id and p.user_id <> mine.user_id
      join users u on u.id = p.user_id and u.active = 1
      where mine.user_id = ${user} and mine.role = 'administrator'
    ) others where place = 1)`.execute(db);
  await updateRows(db, "conversation_participants", { user_id: user, role: "administrator" }, { role: "member" });
}
