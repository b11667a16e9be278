import { sql } from "kysely";
import { insertRows, rowsAs, updateRow } from "../../store/bulk.ts";
import { moveMembership, removeMembership, setUserTypes } from "../directory/memberships.ts";
import { searchWords } from "../directory/user-words.ts";
import { listChangedColumns } from "../pipeline/changed-columns.ts";
import type { Ctx } from "../pipeline/context.ts";
import { requireOtherAdministrator, updateColumns } from "./change-account.ts";
import { newUserRow } from "./user-columns.ts";
import type { ExistingUser } from "./user-import-lookup.ts";
import type { Wanted } from "./user-import-row.ts";

/** Creates users, some hundreds per statement, and adds their IDs. */
export async function createUsers<T extends { readonly wanted: Wanted }>(ctx: Ctx, pending: readonly T[]) {
  if (pending.length === 0) return [];
  const rows = pending.map((each) => ({ ...each, user: newUserRow(ctx, each.wanted.columns, each.wanted.unit.id) }));
  const users = rows.map(({ user }) => user);
  const made = await insertRows<{ id: number; email_key: string | null }>(ctx.db, "users", users, "id, email_key");
  const idByKey = new Map(made.map((row) => [row.email_key, row.id]));
  // RETURNING gives every inserted row.
  const created = rows.map((each) => ({ ...each, id: idByKey.get(each.user.email_key)! }));
  await insertMemberships(ctx, created);
  const words = created.flatMap(({ user, id }) => searchWords(user).map((word) => ({ ...word, user_id: id })));
  const byWord = Map.groupBy(words, ({ kind, word }) => `${kind}${word}`);
  // Inserts words sorted, so that neighbouring index entries are written together.
  const sorted = [...byWord.keys()].sort().flatMap((key) => byWord.get(key) ?? []);
  await insertRows(ctx.db, "user_words", sorted);
  return created;
}

async function insertMemberships(ctx: Ctx, users: readonly { id: number; wanted: Wanted }[]): Promise<void> {
  const rows = users.map(({ id, wanted: { unit, department = null } }) => ({
    user_id: id,
    unit_id: unit.id,
    department_id: department,
  }));
  const made = await insertRows<{ id: number; user_id: number }>(ctx.db, "memberships", rows, "id, user_id");
  const membershipOf = new Map(made.map((row) => [row.user_id, row.id]));
  const types = users.flatMap(({ id, wanted }) =>
    // RETURNING gives every inserted row.
    (wanted.types ?? []).map((user_type_id) => ({ membership_id: membershipOf.get(id)!, user_type_id })),
  );
  await insertRows(ctx.db, "membership_user_types", types);
  const byUnit = Map.groupBy(rows, (row) => row.unit_id);
  const members = [...byUnit].map(([unit, joined]) => ({ unit, more: joined.length }));
  const counts = rowsAs(ctx.db, "joined", { unit: "bigint", more: "bigint" }, members);
  await sql`update units set user_count = user_count + joined.more from ${counts} where units.id = joined.unit`.execute(
    ctx.db,
  );
}

export function findUserChanges(existing: ExistingUser, wanted: Wanted) {
  const columns = listChangedColumns(existing, wanted.columns);
  const moved = existing.unit_id !== wanted.unit.id;
  const held = existing.types.map((type) => type.id);
  const types = wanted.types ?? held;
  const retyped = types.length !== held.length || types.some((type) => !held.includes(type));
  const department = wanted.department === undefined ? (moved ? null : existing.department_id) : wanted.department;
  const changed = Object.keys(columns).length > 0 || moved || retyped || department !== existing.department_id;
  return changed ? { columns, moved, types: retyped ? types : undefined, department } : undefined;
}

export async function changeUser(
  ctx: Ctx,
  existing: ExistingUser,
  { unit }: Wanted,
  { columns, moved, types, department }: NonNullable<ReturnType<typeof findUserChanges>>,
): Promise<void> {
  const { id, admin, provider, unit_id, membership_id, units } = existing;
  if (columns.provider !== undefined && provider === "local" && admin === 1) await requireOtherAdministrator(ctx, id);
  await updateColumns(ctx, existing, columns);
  if (membership_id !== null && unit_id !== null) {
    // The first membership takes the place of a further one in the unit.
    if (moved && units.includes(unit.id)) await removeMembership(ctx, id, unit.id);
    if (moved) await moveMembership(ctx, { id: membership_id, user: id, from: unit_id, to: unit.id });
    if (types) await setUserTypes(ctx, membership_id, types);
    await updateRow(ctx.db, "memberships", membership_id, { department_id: department });
  }
}
