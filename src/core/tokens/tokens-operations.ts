import type { tokens as contract } from "../../contract/tokens.ts";
import type { Checks, Handlers } from "../pipeline/context.ts";
import { createToken, newTokenIssues } from "./create-token.ts";
import { findToken } from "./find-token.ts";
import { listTokens } from "./list-tokens.ts";
import { presentToken } from "./present-token.ts";

export const tokens: Handlers<typeof contract> = {
  list: listTokens,
  create: createToken,
  get: async (ctx, { id }) => presentToken(ctx, await findToken(ctx, id)),

  async revoke(ctx, { id }) {
    const { user_id } = await findToken(ctx, id);
    await ctx.db.deleteFrom("api_tokens").where("id", "=", id).execute();
    ctx.announce(`user:${user_id}`);
  },
};

export const checks: Checks<typeof contract> = { create: newTokenIssues };
