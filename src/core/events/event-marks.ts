import type { events as contract } from "../../contract/events.ts";
import { upsertRow } from "../../store/bulk.ts";
import { saveRsvp } from "../directory/event-rsvp.ts";
import { presentShortUsers } from "../directory/present-short-users.ts";
import type { Handlers } from "../pipeline/context.ts";
import { readPage } from "../pipeline/cursor.ts";
import { readableEvent } from "./find-event.ts";

export const eventMarkHandlers = {
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

  async accept(ctx, { id, answer: after }) {
    const { answer: before } = await readableEvent(ctx, id);
    await saveRsvp(ctx.db, { event_id: id, user_id: ctx.actor.id }, { before, after, now: ctx.now });
  },

  async withdraw(ctx, { id }) {
    const { answer: before } = await readableEvent(ctx, id);
    await saveRsvp(ctx.db, { event_id: id, user_id: ctx.actor.id }, { before, after: null, now: ctx.now });
  },
} satisfies Partial<Handlers<typeof contract>>;
