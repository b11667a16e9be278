import { allOperations } from "../../contract/all-operations.ts";
import { type FieldErrors, ServiceError } from "../../contract/errors.ts";
import { includesScope, isScope } from "../../contract/token-scopes.ts";
import type { tokens as contract } from "../../contract/tokens.ts";
import { countRows, findRow } from "../../store/bulk.ts";
import { hashToken } from "../../store/password-tokens.ts";
import { newApiToken } from "../pipeline/api-tokens.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { refuse } from "../pipeline/refuse-issues.ts";
import { presentToken, requireOwner, tokenRows } from "./read-tokens.ts";

type Create = Handlers<typeof contract>["create"];
type Input = Parameters<Create>[1];

/** Maximum number of unexpired tokens of a user, so that nobody fills the database with them. */
const mostTokens = 100;

export const createToken: Create = async (ctx, input) => {
  const { name, owner = ctx.actor.id, expires_at = null } = input;
  const issues = await newTokenIssues(ctx, input);
  if (issues.owner === undefined) await requireOwner(ctx, owner);
  refuse(issues);
  const scopes = [...new Set(input.scopes)];
  await requireWithinToken(ctx, scopes, expires_at);
  await requireRoom(ctx, owner);
  const token = newApiToken();
  const row = await ctx.db
    .insertInto("api_tokens")
    .values({
      user_id: owner,
      name,
      token_hash: hashToken(token),
      scopes: JSON.stringify(scopes),
      expires_at,
      created_at: ctx.now,
    })
    .onConflict((conflict) => conflict.columns(["user_id", "name"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (row === undefined) throw new ServiceError("conflict", `The name is taken by another token of user ${owner}.`);
  const made = await tokenRows(ctx).where("t.id", "=", row.id).executeTakeFirstOrThrow();
  return { ...presentToken(ctx, made), token };
};

/** Returns the issues of those fields of a new token that depend on data; see `Checks`. */
export async function newTokenIssues(ctx: Ctx, { scopes, owner, expires_at }: Partial<Input>): Promise<FieldErrors> {
  const operations = await allOperations();
  const unknown = scopes?.filter((scope) => !isScope(scope, operations)) ?? [];
  return {
    ...(unknown.length > 0 && { scopes: [`contains scopes that do not exist: ${unknown.join(", ")}`] }),
    ...(expires_at !== undefined && expires_at <= ctx.now && { expires_at: ["must be in the future"] }),
    ...(owner !== undefined && (await ownerIssues(ctx, owner))),
  };
}

/** People create tokens for themselves; nobody else can hold a token that acts as them. */
async function ownerIssues({ db, actor }: Ctx, owner: number): Promise<FieldErrors> {
  if (owner === actor.id) return {};
  const user = await findRow(db, "users", { id: owner }, ["provider", "active"]);
  if (user?.provider !== "service") return { owner: ["must be you or a service account"] };
  return user.active === 1 ? {} : { owner: ["must be active"] };
}

/** Throws `forbidden` when an API token creates one with more scopes or a longer life than its own. */
async function requireWithinToken({ apiToken }: Ctx, scopes: readonly string[], expires: number | null): Promise<void> {
  if (apiToken === undefined) return;
  const operations = await allOperations();
  const more = scopes.filter((scope) => !includesScope(apiToken.scopes, scope, operations));
  if (more.length > 0)
    throw new ServiceError("forbidden", `The scopes of the API token do not cover ${more.join(", ")}.`);
  if (apiToken.expires !== null && (expires === null || expires > apiToken.expires))
    throw new ServiceError("forbidden", "An API token cannot create one that expires later than itself.");
}

async function requireRoom({ db, now }: Ctx, owner: number): Promise<void> {
  const live = db
    .selectFrom("api_tokens")
    .where("user_id", "=", owner)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", now)]));
  if ((await countRows(live)) < mostTokens) return;
  throw new ServiceError(
    "conflict",
    `User ${owner} has ${mostTokens} API tokens, which is the maximum. Revoke one first.`,
  );
}
