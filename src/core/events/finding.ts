import { invalid, ServiceError } from "../../contract/errors.ts";
import { mayEdit, readerOf } from "../audience.ts";
import type { Ctx } from "../context.ts";
import { type EventRow, eventRows } from "./rows.ts";

/** The ability of those who edit events. */
export const ability = "calendar";

/** An event that the actor may read. `not_found`, `gone`, or `forbidden`. */
export async function readableEvent(ctx: Ctx, id: number): Promise<EventRow> {
  const row = await findEvent(ctx, id);
  if (row === undefined) throw new ServiceError("not_found", `There is no event ${id}.`);
  if (row.reads === 0) throw new ServiceError("forbidden", `Event ${id} is not meant for you.`);
  return row;
}

/** An event that the actor may change, likewise. `named` in the input instead of the path: `validation_failed` without it. */
export async function editableEvent(ctx: Ctx, id: number, named?: string): Promise<EventRow> {
  const row = await findEvent(ctx, id);
  if (row === undefined && named !== undefined) throw invalid({ [named]: [`names no event: ${id}`] });
  if (row === undefined) throw new ServiceError("not_found", `There is no event ${id}.`);
  if (mayEdit(ctx.actor, ability, row)) return row;
  const needed = row.personal === 1 ? "" : `, and those with the ability ${ability} in the unit that owns it`;
  throw new ServiceError("forbidden", `Event ${id} can be changed by its author${needed} only.`);
}

async function findEvent(ctx: Ctx, id: number): Promise<EventRow | undefined> {
  const [row] = await eventRows(ctx.db, { ...readerOf(ctx.actor, ability), ids: [id] });
  if (row !== undefined && row.deleted_at !== null) throw new ServiceError("gone", `Event ${id} was deleted.`);
  return row;
}
