import type { OutputOf } from "../../contract/operation.ts";
import type { tokens as contract } from "../../contract/tokens.ts";
import type { Ctx } from "../pipeline/context.ts";

type Token = OutputOf<(typeof contract)["get"]>;
type Row = Awaited<ReturnType<ReturnType<typeof tokenRows>["execute"]>>[number];

/** Selects tokens with the names of their owners, without their hashes. */
export function tokenRows({ db }: Ctx) {
  return db
    .selectFrom("api_tokens as t")
    .innerJoin("users as u", "u.id", "t.user_id")
    .select(["t.id", "t.name", "t.user_id", "t.scopes", "t.created_at", "t.expires_at", "t.last_used_at"])
    .select(["u.first_name", "u.last_name"]);
}

/** Returns the API's representation of a token. */
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
