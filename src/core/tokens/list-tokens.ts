import type { tokens as contract } from "../../contract/tokens.ts";
import type { Handlers } from "../pipeline/context.ts";
import { readPage } from "../pipeline/cursor.ts";
import { requireOwner } from "./find-token.ts";
import { presentToken, tokenRows } from "./present-token.ts";

export const listTokens: Handlers<typeof contract>["list"] = async (ctx, { limit, cursor, owner, expires_before }) => {
  if (owner !== undefined) await requireOwner(ctx, owner);
  const shownOwner = owner ?? (ctx.actor.admin ? undefined : ctx.actor.id);
  let query = tokenRows(ctx);
  if (shownOwner !== undefined) query = query.where("t.user_id", "=", shownOwner);
  if (expires_before !== undefined) query = query.where("t.expires_at", "<", expires_before);
  const list = `tokens ${JSON.stringify([shownOwner, expires_before])}`;
  const { rows, meta } = await readPage(ctx, query, "id", { list, limit, cursor });
  return { data: rows.map((row) => presentToken(ctx, row)), meta };
};
