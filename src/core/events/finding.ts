import { invalid, ServiceError } from "../../contract/errors.ts";
import { mayEdit, readerOf } from "../audience.ts";
import type { Ctx } from "../context.ts";
import { type EventRow, eventRows } from "./rows.ts";

/** The ability of those who edit events. */
export const ability = "calendar";

/**
 * Returns an event that the actor may read. Throws `gone` when it was deleted since, and `not_found` when the actor may not
 * read it, as if there were none; when the input names it in the field `named` instead of the path, `validation_failed`.
 */
export async function readableEvent(ctx: Ctx, id: number, named?: string): Promise<EventRow> {
  const [row] = await eventRows(ctx.db, { ...readerOf(ctx.actor, ability), ids: [id] });
  if (row === undefined || row.reads === 0) {
    if (named !== undefined) throw invalid({ [named]: [`names no event: ${id}`] });
    throw new ServiceError("not_found", `There is no event ${id}.`);
  }
  if (row.deleted_at !== null) throw new ServiceError("gone", `Event ${id} was deleted.`);
  return row;
}

/** Returns an event that the actor may change. Throws as `readableEvent` does, and `forbidden` when the actor may only read it. */
export async function editableEvent(ctx: Ctx, id: number, named?: string): Promise<EventRow> {
  const row = await readableEvent(ctx, id, named);
  if (mayEdit(ctx.actor, ability, row)) return row;
  const needed = row.personal === 1 ? "" : `, and those with the ability ${ability} in the unit that owns it`;
  throw new ServiceError("forbidden", `Event ${id} can be changed by its author${needed} only.`);
}
