import { invalid, ServiceError } from "../../contract/errors.ts";
import { prepared } from "../../store/prepared.ts";
import type { Ctx } from "../pipeline/context.ts";
import type { Participation } from "./participation.ts";
import { type MessageRow, messagesById } from "./present-messages.ts";

/** A range of positions, excluding both ends. */
export interface Range {
  id: number;
  after: number;
  before: number;
  limit: number;
}

const inRange = (direction: "asc" | "desc") =>
  prepared((db, p: Range) =>
    db
      .selectFrom("messages")
      .selectAll()
      .where("conversation_id", "=", p.id)
      .where("position", ">", p.after)
      .where("position", "<", p.before)
      .orderBy("position", direction)
      .limit(p.limit),
  );
export const newestFirst = inRange("desc");
export const oldestFirst = inRange("asc");

export const noUpperBound = Number.MAX_SAFE_INTEGER;

/** Returns a message of the conversation, unless the participant deleted the conversation after it. */
export async function loadVisible(ctx: Ctx, mine: Participation, id: number): Promise<MessageRow | undefined> {
  const [row] = await messagesById(ctx.db, { ids: [id] });
  return row?.conversation_id === mine.id && row.position > mine.cleared_position ? row : undefined;
}

/** Returns a message that the path or a `field` refers to. Throws when the participant cannot see it. */
export async function visibleMessage(ctx: Ctx, mine: Participation, id: number, field?: string): Promise<MessageRow> {
  const row = await loadVisible(ctx, mine, id);
  if (row !== undefined) return row;
  if (field !== undefined) throw invalid({ [field]: [`is not a message of conversation ${mine.id}: ${id}`] });
  throw new ServiceError("not_found", `Conversation ${mine.id} has no message ${id}.`);
}

/** Throws `conflict` for service messages and deleted messages, which have no text by a user. */
export function requireText({ id, type, deleted_at }: MessageRow): void {
  if (type === "service")
    throw new ServiceError("conflict", `Message ${id} is a service message and cannot be changed.`);
  if (deleted_at !== null) throw new ServiceError("conflict", `Message ${id} was deleted.`);
}
