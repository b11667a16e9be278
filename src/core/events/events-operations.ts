import type { events as contract } from "../../contract/events.ts";
import { addToRows, updateRow, upsertRow } from "../../store/bulk.ts";
import { presentShortUsers } from "../directory/present-short-users.ts";
import { fileHandlers } from "../files/file-handlers.ts";
import type { Admission, Checks, Ctx, Handlers } from "../pipeline/context.ts";
import { readPage } from "../pipeline/cursor.ts";
import { requireAbility } from "../pipeline/permissions.ts";
import { eventAbility } from "../visibility/event-visibility.ts";
import { eventChangeHandlers, eventIssues } from "./change-event.ts";
import { type EventRow, editableEvent, readableEvent } from "./find-event.ts";
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

  async seen(ctx, { id }) {
    const { seen_at } = await readableEvent(ctx, id);
    if (seen_at !== null) return;
    await upsertRow(ctx.db, "event_marks", { event_id: id, user_id: ctx.actor.id }, { seen_at: ctx.now });
  },

  async participants(ctx, { id, answer, limit, cursor }) {
    await readableEvent(ctx, id);
    const list = `participants ${id} ${answer}`;
    const marks = ctx.db
      .selectFrom("event_marks")
      .select(["user_id", "answer", "answered_at"])
      .where("event_id", "=", id);
    const query = answer === undefined ? marks.where("answer", "is not", null) : marks.where("answer", "=", answer);
    const { rows, meta } = await readPage(ctx, query, { by: ["user_id"] }, { list, limit, cursor });
    const ids = rows.map((row) => row.user_id);
    const users = new Map((await presentShortUsers(ctx, ids)).map((user) => [user.id, user]));
    const data = rows.flatMap(({ user_id, answer, answered_at }) => {
      const user = users.get(user_id);
      return user && answer && answered_at !== null ? [{ user, answer, answered_at }] : [];
    });
    return { data, meta };
  },

  accept: (ctx, { id, answer }) => setAnswer(ctx, id, answer),
  withdraw: (ctx, { id }) => setAnswer(ctx, id, null),
};

async function setAnswer(ctx: Ctx, id: number, answer: EventRow["answer"]): Promise<undefined> {
  const event = await readableEvent(ctx, id);
  if (event.answer === answer) return;
  const answered_at = answer === null ? null : ctx.now;
  await upsertRow(ctx.db, "event_marks", { event_id: id, user_id: ctx.actor.id }, { answer, answered_at });
  if (event.answer !== null) await addToRows(ctx.db, "events", id, { [`${event.answer}_count`]: -1 });
  if (answer !== null) await addToRows(ctx.db, "events", id, { [`${answer}_count`]: 1 });
}

export const admission: Admission<typeof contract> = {
  async create({ actor }, { type }) {
    if (type === "chain" || type === "unit") requireAbility(actor, eventAbility);
  },
  update: requireEditable,
  filesAdd: requireEditable,
  filesAddTo: requireEditable,
};

export const checks: Checks<typeof contract> = {
  list: async (_ctx, { start, end }) => periodIssues(start, end),
  create: eventIssues,
  async update(ctx, { id, ...known }, isWrong) {
    return id === undefined ? {} : eventIssues(ctx, known, isWrong, await editableEvent(ctx, id));
  },
};

async function requireEditable(ctx: Ctx, { id }: { id?: number }): Promise<void> {
  if (id !== undefined) await editableEvent(ctx, id);
}
