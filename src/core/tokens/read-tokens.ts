import { ServiceError } from "../../contract/errors.ts";
import type { OutputOf } from "../../contract/operation.ts";
import type { tokens as contract } from "../../contract/tokens.ts";
import { users } from "../../contract/users.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { readPage } from "../pipeline/cursor.ts";
import { permit } from "../pipeline/permissions.ts";
import { filterIssues } from "../pipeline/reference-issues.ts";
import { refuse } from "../pipeline/refuse-issues.ts";

type Token = OutputOf<(typeof contract)["get"]>;
type Row = Awaited<ReturnType<ReturnType<typeof tokenRows>["execute"]>>[number];

export const tokenReadHandlers = {
  async list(ctx, { limit, cursor, owner, expires_before }) {
    if (owner !== undefined) {
      refuse(await tokenFilterIssues(ctx, { owner }));
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
} satisfies Partial<Handlers<typeof contract>>;

export const tokenFilterIssues = (ctx: Ctx, { owner }: { readonly owner?: number | undefined }) =>
  filterIssues(ctx, [["owner", "users", owner]]);

/** Selects tokens with the names of their owners, without their hashes. */
export function tokenRows({ db }: Ctx) {
  return db
    .selectFrom("api_tokens as t")
    .innerJoin("users as u", "u.id", "t.user_id")
    .select(["t.id", "t.name", "t.user_id", "t.scopes", "t.created_at", "t.expires_at", "t.last_used_at"])
    .select(["u.first_name", "u.last_name"]);
}

export function presentToken({ apiToken }: Ctx, row: Row): Token {
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

/** Returns a token. Throws `not_found` when it does not exist, `forbidden` without access to its owner. */
export async function findToken(ctx: Ctx, id: number) {
  const row = await tokenRows(ctx).where("t.id", "=", id).executeTakeFirst();
  if (row === undefined) throw new ServiceError("not_found", `There is no API token ${id}.`);
  await requireOwner(ctx, row.user_id);
  return row;
}

/** Throws unless the actor is this user or may set the user's password: a token lets the actor act as the user, too. */
export async function requireOwner(ctx: Ctx, user: number): Promise<void> {
  await permit(ctx, users.password, { id: user });
}
