import { sql } from "kysely";
import { largestGroup } from "../../contract/conversation-schemas.ts";
import type { conversations as contract } from "../../contract/conversations.ts";
import { invalid, ServiceError } from "../../contract/errors.ts";
import { deleteRows, insertRows, updateRows } from "../../store/bulk.ts";
import { appointAdministrators } from "../directory/conversation-administrators.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { appendService } from "./append-message.ts";
import { directRefusal, lockedParticipation, type Participation, requireAdministrator } from "./participation.ts";
import { presentConversation } from "./present-conversations.ts";
import { People, type Standing, standingsIn } from "./present-participants.ts";
import { keepPeopleKey, recipientIssues } from "./recipients.ts";

export const participantHandlers = {
  async participantAdd(ctx, { id, users }) {
    const mine = await lockedParticipation(ctx, id);
    requireAdministrator(mine, "add people");
    const issues = await recipientIssues(ctx, users);
    if (issues.length > 0) throw invalid({ users: issues });
    const standings = await standingsIn(ctx.db, { conversations: [id] });
    const joining = [...new Set(users)].filter((user) => !standings.some((standing) => standing.user_id === user));
    if (standings.length + joining.length > largestGroup) {
      throw invalid({
        users: [`would exceed the maximum of ${largestGroup} people; there are ${standings.length} already`],
      });
    }
    if (joining.length > 0) await join(ctx, mine, joining);
    return presentConversation(ctx, id);
  },

  async participantUpdate(ctx, { id, user, role }) {
    const mine = await lockedParticipation(ctx, id);
    requireAdministrator(mine, "change roles");
    const standings = await standingsIn(ctx.db, { conversations: [id] });
    const before = standingOf(standings, user, id);
    const others = standings.filter((standing) => standing.role === "administrator" && standing.user_id !== user);
    const people = await People.load(ctx, [user, ...others.map((other) => other.user_id)]);
    const isActive = (standing: Standing) => people.participant(standing.user_id, standing).active;
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
    const standings = await standingsIn(ctx.db, { conversations: [id] });
    standingOf(standings, user, id);
    await deleteRows(ctx.db, "conversation_participants", { conversation_id: id, user_id: user });
    await appointAdministrators(ctx, sql`${id}`);
    await keepPeopleKey(ctx, id);
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
  await keepPeopleKey(ctx, mine.id);
}

function standingOf(standings: readonly Standing[], user: number, conversation: number): Standing {
  const standing = standings.find((each) => each.user_id === user);
  if (standing === undefined)
    throw new ServiceError("not_found", `User ${user} is not in conversation ${conversation}.`);
  return standing;
}
