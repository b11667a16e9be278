import type { tokens as contract } from "../../contract/tokens.ts";
import { deleteRows } from "../../store/bulk.ts";
import type { Checks, Handlers } from "../pipeline/context.ts";
import { createToken, newTokenIssues } from "./create-token.ts";
import { findToken, tokenFilterIssues, tokenReadHandlers } from "./read-tokens.ts";

export const tokens: Handlers<typeof contract> = {
  ...tokenReadHandlers,
  create: createToken,

  async revoke(ctx, { id }) {
    const { user_id } = await findToken(ctx, id);
    await deleteRows(ctx.db, "api_tokens", { id });
    ctx.announce(`user:${user_id}`);
  },
};

export const checks: Checks<typeof contract> = { list: tokenFilterIssues, create: newTokenIssues };
