import { sql } from "kysely";
import { maxParticipants } from "../../contract/conversation-schemas.ts";
import type { conversations as contract } from "../../contract/conversations.ts";
import { invalid, ServiceError } from "../../contract/errors.ts";
import { deleteRows, insertRows, updateRows } from "../../store/bulk.ts";
import { appointAdministrators } from "../directory/conversation-administrators.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { referenceIssues, requireNoIssues } from "../pipeline/field-issues.ts";
import { appendService } from "./append-message.ts";
import { directRefusal, lockedParticipation, type Participation, requireAdministrator } from "./participation.ts";
import { presentConversation } from "./present-conversations.ts";
import { loadPeople, type ParticipantRow, participantsIn } from "./present-participants.ts";
import { updatePeopleKey } from "./recipients.ts";

export const participantHandlers = {
  async participantAdd(ctx, { id, users }) {
    const mine = await lockedParticipation(ctx, id);
    requireAdministrator(mine, "add people");
    requireNoIssues(await referenceIssues(ctx, [["users", "users", users]]));
    const participants = await participantsIn(ctx.db, { conversations: [id] });
    const joining = [...new Set(users)].filter((user) => !participants.some((each) => each.user_id === user));
    if (participants.length + joining.length > maxParticipants) {
      throw invalid({
        users: [`would exceed the maximum of ${maxParticipants} people; there are ${participants.length} already`],
      });
    }
    if (joining.length > 0) await join(ctx, mine, joining);
    return presentConversation(ctx, id);
  },

  async participantUpdate(ctx, { id, user, role }) {
    const mine = await lockedParticipation(ctx, id);
    requireAdministrator(mine, "change roles");
    const participants = await participantsIn(ctx.db, { conversations: [id] });
    const before = requireParticipant(participants, user, id);
    const others = participants.filter((each) => each.role === "administrator" && each.user_id !== user);
    const people = await loadPeople(ctx, [user, ...others.map((other) => other.user_id)]);
    const isActive = (row: ParticipantRow) => people.participant(row.user_id, row).active;
    if (role === "member" && !others.some(isActive)) {
      throw new ServiceError(
        "conflict",
        `User ${user} is the last active administrator of conversation ${id}; make another participant administrator first.`,
      );
    }
    if (before.role !== role) {
      if (role === "administrator" && !isActive(before)) throw invalid({ user: [`is not an active user: ${user}`] });
      await updateRows(ctx.db, "conversation_participants", { conversation_id: id, user_id: user }, { role });
    }
    return people.participant(user, { ...before, role });
  },

  async participantRemove(ctx, { id, user }) {
    const mine = await lockedParticipation(ctx, id);
    if (mine.type === "direct") throw directRefusal(id, "leave it");
    if (user !== ctx.actor.id) requireAdministrator(mine, "remove people");
    const participants = await participantsIn(ctx.db, { conversations: [id] });
    requireParticipant(participants, user, id);
    await deleteRows(ctx.db, "conversation_participants", { conversation_id: id, user_id: user });
    await appointAdministrators(ctx, sql`${id}`);
    await updatePeopleKey(ctx, id);
    await appendService(ctx, mine, { event: "left", users: [user], title: null });
  },
} satisfies Partial<Handlers<typeof contract>>;

async function join(ctx: Ctx, mine: Participation, users: readonly number[]): Promise<void> {
  const message = await appendService(ctx, mine, { event: "joined", users, title: null });
  const rows = users.map((user_id) => ({
    conversation_id: mine.id,
    user_id,
    joined_position: message.position,
    seen_position: message.position,
    latest_message_id: message.id,
  }));
  await insertRows(ctx.db, "conversation_participants", rows);
  await updatePeopleKey(ctx, mine.id);
}

function requireParticipant(rows: readonly ParticipantRow[], user: number, conversation: number): ParticipantRow {
  const row = rows.find((each) => each.user_id === user);
  if (row === undefined) throw new ServiceError("not_found", `User ${user} is not in conversation ${conversation}.`);
  return row;
}
