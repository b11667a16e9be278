import { ServiceError } from "../../contract/errors.ts";
import type { Ctx } from "../pipeline/context.ts";
import { mayEdit, readerOf } from "../visibility/audience.ts";
import { type EventRow, eventRows } from "./event-rows.ts";

export const ability = "calendar";

/** Returns an event. Throws `gone` when it was deleted, `not_found` when the actor may not read it. */
export async function readableEvent(ctx: Ctx, id: number): Promise<EventRow> {
  const [row] = await eventRows(ctx.db, { ...readerOf(ctx.actor, ability), ids: [id] });
  return requireReadableEvent(row, id);
}

/** Returns the row of an event if the actor may read it. Throws like `readableEvent`. */
export function requireReadableEvent<R extends Pick<EventRow, "reads" | "deleted_at">>(
  row: R | undefined,
  id: number,
): R {
  if (row === undefined || row.reads === 0) throw new ServiceError("not_found", `There is no event ${id}.`);
  if (row.deleted_at !== null) throw new ServiceError("gone", `Event ${id} was deleted.`);
  return row;
}

/** Returns an event. Throws like `readableEvent`, and `forbidden` when the actor may only read it. */
export async function editableEvent(ctx: Ctx, id: number): Promise<EventRow> {
  const row = await readableEvent(ctx, id);
  if (mayEdit(ctx.actor, ability, row)) return row;
  const others = row.personal === 1 ? "" : ` and users with the ability ${ability} in the unit that owns it`;
  throw new ServiceError("forbidden", `Only its author${others} can change event ${id}.`);
}
