import type { tokens as contract } from "../../contract/tokens.ts";
import { isAmong } from "../../store/dialect.ts";
import type { Handlers } from "../pipeline/context.ts";
import { readPage } from "../pipeline/cursor.ts";
import { requireOwner } from "./find-token.ts";
import { presentToken, tokenRows } from "./present-token.ts";

export const listTokens: Handlers<typeof contract>["list"] = async (ctx, { limit, cursor, owner, expires_before }) => {
  if (owner !== undefined) await requireOwner(ctx, owner);
  const shownOwner = owner ?? (ctx.actor.admin ? undefined : ctx.actor.id);
  let query = ctx.db.selectFrom("api_tokens as t").select("t.id");
  if (shownOwner !== undefined) query = query.where("t.user_id", "=", shownOwner);
  if (expires_before !== undefined) query = query.where("t.expires_at", "<", expires_before);
  const list = `tokens ${JSON.stringify([shownOwner, expires_before])}`;
  const { rows, meta } = await readPage(ctx, query, "id", { list, limit, cursor });
  const ids = rows.map(({ id }) => id);
  const shown = tokenRows(ctx).where((eb) => isAmong(ctx.db, eb.ref("t.id"), ids));
  return { data: (await shown.orderBy("t.id").execute()).map((row) => presentToken(ctx, row)), meta };
};
