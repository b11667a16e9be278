import { ServiceError } from "../../contract/errors.ts";
import type { Db } from "../../store/database.ts";
import { locking } from "../../store/dialect.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx } from "../pipeline/context.ts";

interface ParticipationKey {
  id: number;
  user: number;
}

const participationOf = (db: Db, p: ParticipationKey) =>
  db
    .selectFrom("conversations as c")
    .innerJoin("conversation_participants as p", "p.conversation_id", "c.id")
    .select(["c.id", "c.type", "c.title", "c.last_position"])
    .select(["p.role", "p.cleared_position", "p.unread_count", "p.archived_at", "p.mute_rule"])
    .where("c.id", "=", p.id)
    .where("p.user_id", "=", p.user);

const participations = prepared(participationOf);
const lockedParticipations = prepared((db, p: ParticipationKey) => locking(db, participationOf(db, p)));

/** A conversation from the point of view of a participant. */
export type Participation = Awaited<ReturnType<typeof participations>>[number];

export const noConversation = (id: number): ServiceError =>
  new ServiceError("not_found", `There is no conversation ${id}.`);

/** Returns a function that returns the first row of the query, or throws `not_found`. */
const requiredBy =
  (query: typeof participations) =>
  async (ctx: Ctx, id: number): Promise<Participation> => {
    const [row] = await query(ctx.db, { id, user: ctx.actor.id });
    if (row === undefined) throw noConversation(id);
    return row;
  };

/** Returns the conversation for the actor. Throws `not_found` when the actor is not a participant. */
export const participation = requiredBy(participations);

/** Returns the conversation for the actor like `participation`, and locks it until the end of the transaction. */
export const lockedParticipation = requiredBy(lockedParticipations);

/** Throws `conflict` for a direct conversation, and `forbidden` when the actor is not an administrator of the group. */
export function requireAdministrator({ id, type, role }: Participation, action: string): void {
  if (type === "direct") throw directRefusal(id, action);
  if (role !== "administrator") {
    throw new ServiceError("forbidden", `Only an administrator of conversation ${id} can ${action}.`);
  }
}

export function directRefusal(id: number, action: string): ServiceError {
  return new ServiceError("conflict", `Conversation ${id} is direct; you cannot ${action}.`);
}
