import { ServiceError } from "../../contract/errors.ts";
import type { sessions as contract } from "../../contract/sessions.ts";
import { presentSession, sessionRows } from "../directory/present-sessions.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";

export const sessions: Handlers<typeof contract> = {
  async list(ctx) {
    const rows = await sessionRows(ctx.db, { me: ctx.actor.id, now: ctx.now }).orderBy("s.id").execute();
    return { data: rows.map((row) => presentSession(ctx, row)) };
  },

  async end(ctx, { id }) {
    const { numDeletedRows } = await own(ctx).where("id", "=", id).executeTakeFirst();
    if (numDeletedRows === 0n) throw new ServiceError("not_found", `You have no session ${id}.`);
    ctx.announce(`user:${ctx.actor.id}`);
  },

  async endOthers(ctx) {
    await own(ctx)
      .where("key", "<>", ctx.token?.session ?? "")
      .execute();
    ctx.announce(`user:${ctx.actor.id}`);
  },

  async endCurrent(ctx) {
    if (ctx.token === undefined) throw new ServiceError("not_found", "You have no session here: you did not sign in.");
    await own(ctx).where("key", "=", ctx.token.session).execute();
    ctx.announce(`user:${ctx.actor.id}`);
  },
};

const own = ({ db, actor }: Ctx) => db.deleteFrom("sessions").where("user_id", "=", actor.id);
