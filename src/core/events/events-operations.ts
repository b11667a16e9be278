import type { events as contract } from "../../contract/events.ts";
import type { Admission, Ctx, Handlers } from "../pipeline/context.ts";
import { requireSomewhere } from "../pipeline/permissions.ts";
import { changing } from "./change-event.ts";
import { files } from "./event-files.ts";
import { marks } from "./event-marks.ts";
import { ability, editableEvent } from "./find-event.ts";
import { reading } from "./read-events.ts";

export const events: Handlers<typeof contract> = { ...reading, ...changing, ...files, ...marks };

export const admission: Admission<typeof contract> = {
  async create({ actor }, { type }) {
    if (type === "chain" || type === "unit") requireSomewhere(actor, ability);
  },
  update: requireEditable,
  filesAddTo: requireEditable,
  async filesAdd(ctx, { id }) {
    if (id !== undefined) await editableEvent(ctx, id, "id");
  },
};

async function requireEditable(ctx: Ctx, { id }: { id?: number }): Promise<void> {
  if (id !== undefined) await editableEvent(ctx, id);
}
