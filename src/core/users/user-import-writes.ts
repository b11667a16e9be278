import { addToEach, deleteEach, insertRows, updateEach } from "../../store/bulk.ts";
import { emailKey } from "../directory/text-keys.ts";
import { addSearchWords } from "../directory/user-words.ts";
import { listChangedColumns } from "../pipeline/changed-columns.ts";
import type { Ctx } from "../pipeline/context.ts";
import { inTurns } from "../pipeline/event-loop-turns.ts";
import { requireOtherAdministrator, updateUsers } from "./change-account.ts";
import { newUserRow } from "./user-columns.ts";
import type { ExistingUser, UserImportRow, Wanted } from "./user-import-lookup.ts";

/** Rows written at a time, for up to 40 ms, when no other request can run on SQLite. */
const portion = 500;

interface NewRow {
  readonly index: number;
  readonly wanted: Wanted;
}

interface Given {
  readonly row: UserImportRow;
}

/** Collects the valid rows of an import that are written together. */
export function collectRows(ctx: Ctx) {
  let newRows: NewRow[] = [];
  let changedRows: ChangedRow[] = [];
  /** References and addresses of the users of these rows, before and after. */
  const keys = new Set<string>();
  const remember = ({ reference, email }: UserImportRow, existing?: ExistingUser) => {
    const before = existing ? keysOf(existing.reference, existing.email_key) : [];
    for (const key of [...keysOf(reference, emailKey(email)), ...before]) keys.add(key);
  };
  return {
    /** Returns true when `row` depends on the result of a waiting one. */
    affects: ({ reference, email }: UserImportRow) => keysOf(reference, emailKey(email)).some((key) => keys.has(key)),
    create({ row, ...added }: NewRow & Given) {
      newRows.push(added);
      remember(row);
    },
    change({ row, ...added }: ChangedRow & Given) {
      changedRows.push(added);
      remember(row, added.existing);
    },
    /** Writes the rows and forgets them. Returns the created and the changed users. */
    async write() {
      const created = [];
      for await (const some of inTurns(newRows, portion)) created.push(...(await createUsers(ctx, some)));
      for await (const some of inTurns(changedRows, portion)) await changeUsers(ctx, some);
      const changed = changedRows.map(({ existing }) => existing);
      for (const { id } of created) ctx.changed("user.create", id);
      for (const { id } of changed) ctx.changed("user.update", id);
      newRows = [];
      changedRows = [];
      keys.clear();
      return { created, changed };
    },
  };
}

function keysOf(reference: string | null | undefined, email: string | null): string[] {
  return [...(reference ? [`reference ${reference}`] : []), ...(email === null ? [] : [`email ${email}`])];
}

/** Creates users, some hundreds per statement, and adds their IDs. */
async function createUsers(ctx: Ctx, pending: readonly NewRow[]) {
  const rows = pending.map((each) => ({ ...each, user: newUserRow(ctx, each.wanted.columns, each.wanted.unit.id) }));
  const users = rows.map(({ user }) => user);
  const made = await insertRows(ctx.db, "users", users, ["id", "email_key"]);
  const idByKey = new Map(made.map((row) => [row.email_key, row.id]));
  // RETURNING gives every inserted row.
  const created = rows.map((each) => ({ ...each, id: idByKey.get(each.user.email_key)! }));
  await insertMemberships(ctx, created);
  await addSearchWords(ctx, ...created.map(({ user, id }) => ({ ...user, id })));
  return created;
}

async function insertMemberships(ctx: Ctx, users: readonly { id: number; wanted: Wanted }[]): Promise<void> {
  const rows = users.map(({ id, wanted: { unit, department = null } }) => ({
    user_id: id,
    unit_id: unit.id,
    department_id: department,
  }));
  const made = await insertRows(ctx.db, "memberships", rows, ["id", "user_id"]);
  const membershipOf = new Map(made.map((row) => [row.user_id, row.id]));
  const types = users.flatMap(({ id, wanted }) =>
    // RETURNING gives every inserted row.
    (wanted.types ?? []).map((user_type_id) => ({ membership_id: membershipOf.get(id)!, user_type_id })),
  );
  await insertRows(ctx.db, "membership_user_types", types);
  await countMembers(ctx, { joined: rows.map((row) => row.unit_id) });
}

/** Changes the numbers of members of units. `joined` and `left` have the unit once for each user. */
async function countMembers(
  { db }: Ctx,
  { joined, left = [] }: { joined: readonly number[]; left?: readonly number[] },
) {
  const more = new Map<number, number>();
  for (const unit of joined) more.set(unit, (more.get(unit) ?? 0) + 1);
  for (const unit of left) more.set(unit, (more.get(unit) ?? 0) - 1);
  const rows = [...more].map(([id, user_count]) => ({ id, user_count }));
  await addToEach(
    db,
    "units",
    rows.filter(({ user_count }) => user_count !== 0),
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

export type UserChanges = NonNullable<ReturnType<typeof findUserChanges>>;

export interface ChangedRow {
  readonly existing: ExistingUser;
  readonly wanted: Wanted;
  readonly changes: UserChanges;
}

/** Changes different users, some hundreds per statement. The caller has checked permission. */
async function changeUsers(ctx: Ctx, rows: readonly ChangedRow[]): Promise<void> {
  await updateUsers(
    ctx,
    rows.map(({ existing, wanted, changes: { columns, moved } }) => ({
      before: existing,
      // The membership that moves stays the first one.
      changes: moved && existing.membership_id !== null ? { ...columns, unit_id: wanted.unit.id } : columns,
    })),
  );
  await changeMemberships(ctx, rows);
  const leaving = rows.findLast(
    ({ existing, changes }) =>
      changes.columns.provider !== undefined && existing.provider === "local" && existing.admin === 1,
  );
  if (leaving !== undefined) await requireOtherAdministrator(ctx, leaving.existing.id);
}

/** Changes the first memberships of users. One that moves takes the place of a further one in its new unit. */
async function changeMemberships(ctx: Ctx, rows: readonly ChangedRow[]): Promise<void> {
  const { db } = ctx;
  const memberships = rows.flatMap(({ existing, wanted: { unit }, changes: { moved, types, department } }) => {
    const { id: user, membership_id: id, unit_id: from, department_id, units } = existing;
    const held = existing.types.map((type) => type.id);
    return id === null || from === null
      ? []
      : [{ id, user, from, to: unit.id, moved, department, department_id, units, held, types: types ?? held }];
  });
  const moved = memberships.filter((each) => each.moved);
  const replaced = moved.filter(({ to, units }) => units.includes(to));
  const changed = memberships.filter((each) => each.moved || each.department !== each.department_id);
  await deleteEach(
    db,
    "memberships",
    replaced.map(({ user, to }) => ({ user_id: user, unit_id: to })),
  );
  await updateEach(
    db,
    "memberships",
    changed.map(({ id, to, department }) => ({ id, unit_id: to, department_id: department })),
  );
  const joined = moved.filter((each) => !replaced.includes(each)).map(({ to }) => to);
  await countMembers(ctx, { joined, left: moved.map(({ from }) => from) });
  const typesOf = (id: number, types: readonly number[], except: readonly number[]) =>
    types.filter((type) => !except.includes(type)).map((type) => ({ membership_id: id, user_type_id: type }));
  const ended = memberships.flatMap(({ id, held, types }) => typesOf(id, held, types));
  const added = memberships.flatMap(({ id, held, types }) => typesOf(id, types, held));
  await deleteEach(db, "membership_user_types", ended);
  await insertRows(db, "membership_user_types", added);
}
