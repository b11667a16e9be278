import { ServiceError } from "../../contract/errors.ts";
import type { sessions as contract } from "../../contract/sessions.ts";
import { deleteRows } from "../../store/bulk.ts";
import { presentSession, sessionRows } from "../directory/present-sessions.ts";
import type { Handlers } from "../pipeline/context.ts";

export const sessions: Handlers<typeof contract> = {
  async list(ctx) {
    const rows = await sessionRows(ctx.db, { me: ctx.actor.id, now: ctx.now }).orderBy("s.id").execute();
    return { data: rows.map((row) => presentSession(ctx, row)) };
  },

  async end(ctx, { id }) {
    const [ended] = await deleteRows(ctx.db, "sessions", { user_id: ctx.actor.id, id }, ["id"]);
    if (ended === undefined) throw new ServiceError("not_found", `You have no session ${id}.`);
    ctx.announce(`user:${ctx.actor.id}`);
  },

  async endOthers(ctx) {
    const all = ctx.db.deleteFrom("sessions").where("user_id", "=", ctx.actor.id);
    await all.where("key", "<>", ctx.token?.session ?? "").execute();
    ctx.announce(`user:${ctx.actor.id}`);
  },

  async endCurrent(ctx) {
    if (ctx.token === undefined) throw new ServiceError("not_found", "You have no session here: you did not sign in.");
    await deleteRows(ctx.db, "sessions", { user_id: ctx.actor.id, key: ctx.token.session });
    ctx.announce(`user:${ctx.actor.id}`);
  },
};
