import { invalid, ServiceError } from "../../contract/errors.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx } from "../context.ts";
import { type MessageRow, messagesById } from "./message-presentation.ts";
import type { Participation } from "./participation.ts";

/** Positions between two, neither of them included. */
export interface Range {
  id: number;
  after: number;
  before: number;
  limit: number;
}

export const newestFirst = prepared((db, p: Range) =>
  db
    .selectFrom("messages")
    .selectAll()
    .where("conversation_id", "=", p.id)
    .where("position", ">", p.after)
    .where("position", "<", p.before)
    .orderBy("position", "desc")
    .limit(p.limit),
);
export const oldestFirst = prepared((db, p: Range) =>
  db
    .selectFrom("messages")
    .selectAll()
    .where("conversation_id", "=", p.id)
    .where("position", ">", p.after)
    .where("position", "<", p.before)
    .orderBy("position")
    .limit(p.limit),
);

/** A position after all others. */
export const noEnd = Number.MAX_SAFE_INTEGER;

/** A message of the conversation that the participant has not deleted for themselves. */
async function look(ctx: Ctx, mine: Participation, id: number): Promise<MessageRow | undefined> {
  const [row] = await messagesById(ctx.db, { ids: [id] });
  return row?.conversation_id === mine.id && row.position > mine.cleared_position ? row : undefined;
}

/** Such a message that the path names: otherwise `not_found`. */
export async function visibleMessage(ctx: Ctx, mine: Participation, id: number): Promise<MessageRow> {
  const row = await look(ctx, mine, id);
  if (row === undefined) throw new ServiceError("not_found", `Conversation ${mine.id} has no message ${id}.`);
  return row;
}

/** Such a message that a field names: otherwise `validation_failed`. */
export async function visibleNamed(ctx: Ctx, mine: Participation, field: string, id: number): Promise<MessageRow> {
  const row = await look(ctx, mine, id);
  if (row === undefined) throw invalid({ [field]: [`names no message of conversation ${mine.id}: ${id}`] });
  return row;
}

/** `conflict` for messages that have no text of anybody. */
export function requireText({ id, type, deleted_at }: MessageRow): void {
  if (type === "service") throw new ServiceError("conflict", `Message ${id} says what happened; it stays as it is.`);
  if (deleted_at !== null) throw new ServiceError("conflict", `Message ${id} was deleted.`);
}
