import { allOperations } from "../../contract/all-operations.ts";
import { type FieldIssues, ServiceError } from "../../contract/errors.ts";
import type { InputOf, OutputOf } from "../../contract/operation.ts";
import { includesScope, isScope } from "../../contract/token-scopes.ts";
import type { tokens as contract } from "../../contract/tokens.ts";
import { users } from "../../contract/users.ts";
import { countRows, deleteRows, findRow } from "../../store/bulk.ts";
import { hashToken } from "../../store/password-tokens.ts";
import { serviceProvider } from "../directory/service-accounts.ts";
import { newApiToken } from "../pipeline/api-tokens.ts";
import type { Checks, Ctx, Handlers } from "../pipeline/context.ts";
import { readPage } from "../pipeline/cursor.ts";
import { filterIssues, requireNoIssues } from "../pipeline/field-issues.ts";
import { notCovered } from "../pipeline/identify-caller.ts";
import { permit } from "../pipeline/permissions.ts";

type Row = Awaited<ReturnType<ReturnType<typeof tokenRows>["execute"]>>[number];

const tokenFilterIssues = (ctx: Ctx, { owner }: { readonly owner?: number | undefined }) =>
  filterIssues(ctx, { users: { owner } });

/** Selects tokens with the names of their owners, without their hashes. */
function tokenRows({ db }: Ctx) {
  return db
    .selectFrom("api_tokens as t")
    .innerJoin("users as u", "u.id", "t.user_id")
    .select(["t.id", "t.name", "t.user_id", "t.scopes", "t.created_at", "t.expires_at", "t.last_used_at"])
    .select(["u.first_name", "u.last_name"]);
}

function presentToken({ apiToken }: Ctx, row: Row): OutputOf<(typeof contract)["get"]> {
  return {
    content_type: "token",
    id: row.id,
    name: row.name,
    owner: { id: row.user_id, name: `${row.first_name} ${row.last_name}`, url: `/users/${row.user_id}` },
    scopes: JSON.parse(row.scopes),
    current: apiToken?.id === row.id,
    created_at: row.created_at,
    expires_at: row.expires_at,
    last_used_at: row.last_used_at,
    url: `/tokens/${row.id}`,
  };
}

/** Returns a token. Throws `not_found` when it does not exist, or belongs to somebody whose tokens are hidden from the actor. */
async function findToken(ctx: Ctx, id: number) {
  const missing = new ServiceError("not_found", `There is no API token ${id}.`);
  const row = await tokenRows(ctx).where("t.id", "=", id).executeTakeFirst();
  if (row === undefined) throw missing;
  await requireOwner(ctx, row.user_id).catch((error) => {
    throw error instanceof ServiceError && error.code === "forbidden" ? missing : error;
  });
  return row;
}

/** Throws unless the actor is this user or may set the user's password: a token lets the actor act as the user, too. */
async function requireOwner(ctx: Ctx, user: number): Promise<void> {
  await permit(ctx, users.password, { id: user });
}

type Input = InputOf<typeof contract.create>;

/** Maximum number of unexpired tokens of a user, so that nobody fills the database with them. */
const maxTokens = 100;

const createToken: Handlers<typeof contract>["create"] = async (ctx, input) => {
  const { name, owner = ctx.actor.id, expires_at = null } = input;
  const issues = await newTokenIssues(ctx, input);
  if (issues.owner === undefined) await requireOwner(ctx, owner);
  requireNoIssues(issues);
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

const scopeForms = "use read, write, an operation like users.import, or a group like users.*";

/** Returns the issues of those fields of a new token that depend on data; see `Checks`. */
async function newTokenIssues(ctx: Ctx, { scopes, owner, expires_at }: Partial<Input>): Promise<FieldIssues> {
  const operations = await allOperations();
  const unknown = scopes?.filter((scope) => !isScope(scope, operations)) ?? [];
  return {
    ...(unknown.length > 0 && { scopes: [`contains scopes that do not exist: ${unknown.join(", ")}; ${scopeForms}`] }),
    ...(expires_at !== undefined && expires_at <= ctx.now && { expires_at: ["must be in the future"] }),
    ...(owner !== undefined && (await ownerIssues(ctx, owner))),
  };
}

/** People create tokens for themselves; nobody else can hold a token that acts as them. */
async function ownerIssues({ db, actor }: Ctx, owner: number): Promise<FieldIssues> {
  if (owner === actor.id) return {};
  const user = await findRow(db, "users", { id: owner }, ["provider", "active"]);
  if (user?.provider !== serviceProvider) return { owner: ["must be you or a service account"] };
  return user.active === 1 ? {} : { owner: ["must be active"] };
}

/** Throws `forbidden` when an API token creates one with more scopes or a longer life than its own. */
async function requireWithinToken({ apiToken }: Ctx, scopes: readonly string[], expires: number | null): Promise<void> {
  if (apiToken === undefined) return;
  const operations = await allOperations();
  const more = scopes.filter((scope) => !includesScope(apiToken.scopes, scope, operations));
  if (more.length > 0) throw notCovered(more.join(", "));
  if (apiToken.expires !== null && (expires === null || expires > apiToken.expires))
    throw new ServiceError("forbidden", "An API token cannot create one that expires later than itself.");
}

async function requireRoom({ db, now }: Ctx, owner: number): Promise<void> {
  const live = db
    .selectFrom("api_tokens")
    .where("user_id", "=", owner)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", now)]));
  if ((await countRows(live)) < maxTokens) return;
  throw new ServiceError(
    "conflict",
    `User ${owner} has ${maxTokens} API tokens, which is the maximum. Revoke one first.`,
  );
}

export const tokens: Handlers<typeof contract> = {
  async list(ctx, { limit, cursor, owner, expires_before }) {
    if (owner !== undefined) {
      requireNoIssues(await tokenFilterIssues(ctx, { owner }));
      await requireOwner(ctx, owner);
    }
    const shownOwner = owner ?? (ctx.actor.admin ? undefined : ctx.actor.id);
    let query = tokenRows(ctx);
    if (shownOwner !== undefined) query = query.where("t.user_id", "=", shownOwner);
    if (expires_before !== undefined) query = query.where("t.expires_at", "<", expires_before);
    const list = `tokens ${JSON.stringify([shownOwner, expires_before])}`;
    const { rows, meta } = await readPage(ctx, query, { by: ["id"], alias: "t" }, { list, limit, cursor });
    return { data: rows.map((row) => presentToken(ctx, row)), meta };
  },

  get: async (ctx, { id }) => presentToken(ctx, await findToken(ctx, id)),

  async current(ctx) {
    if (ctx.apiToken === undefined) throw new ServiceError("not_found", "This request was not sent with an API token.");
    return presentToken(ctx, await findToken(ctx, ctx.apiToken.id));
  },

  create: createToken,

  async revoke(ctx, { id }) {
    const { user_id } = await findToken(ctx, id);
    await deleteRows(ctx.db, "api_tokens", { id });
    ctx.announce(`user:${user_id}`);
  },
};

export const checks: Checks<typeof contract> = { list: tokenFilterIssues, create: newTokenIssues };
