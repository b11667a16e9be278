import type { events as contract } from "../../contract/events.ts";
import { updateRow } from "../../store/bulk.ts";
import { fileHandlers } from "../files/file-handlers.ts";
import type { Admission, Checks, Ctx, Handlers } from "../pipeline/context.ts";
import { requireAbility } from "../pipeline/permissions.ts";
import { eventChangeHandlers, eventIssues } from "./change-event.ts";
import { eventMarkHandlers } from "./event-marks.ts";
import { ability, editableEvent } from "./find-event.ts";
import { eventReadHandlers, periodIssues } from "./read-events.ts";

const files = fileHandlers("event", {
  find: editableEvent,
  touch: ({ db, now }, id) => updateRow(db, "events", id, { updated_at: now }),
});

export const events: Handlers<typeof contract> = {
  ...eventReadHandlers,
  ...eventChangeHandlers,
  ...files,
  filesAddTo: files.filesAdd,
  ...eventMarkHandlers,
};

export const admission: Admission<typeof contract> = {
  async create({ actor }, { type }) {
    if (type === "chain" || type === "unit") requireAbility(actor, ability);
  },
  update: requireEditable,
  filesAdd: requireEditable,
  filesAddTo: requireEditable,
};

export const checks: Checks<typeof contract> = {
  list: async (_ctx, { start, end }) => periodIssues(start, end),
  create: (ctx, known, isWrong) => eventIssues(ctx, known, isWrong),
  async update(ctx, { id, ...known }, isWrong) {
    return id === undefined ? {} : eventIssues(ctx, known, isWrong, await editableEvent(ctx, id));
  },
};

async function requireEditable(ctx: Ctx, { id }: { id?: number }): Promise<void> {
  if (id !== undefined) await editableEvent(ctx, id);
}
