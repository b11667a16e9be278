import { sql } from "kysely";
import { type FieldIssues, invalid, ServiceError } from "../../contract/errors.ts";
import type { Ability } from "../../contract/operation.ts";
import {
  addToRows,
  deleteRows,
  findRow,
  findRows,
  insertRow,
  insertRows,
  rowsAs,
  updateRow,
  updateRows,
} from "../../store/bulk.ts";
import type { Ctx } from "../pipeline/context.ts";
import { inTurns } from "../pipeline/event-loop-turns.ts";
import { referenceIssues, requireNoIssues } from "../pipeline/field-issues.ts";
import { requireAbilities, unitPath } from "../pipeline/permissions.ts";

/** Also made for a new instance, which has no context of a request. */
type MembershipContext = Pick<Ctx, "db" | "actor">;

interface Membership {
  readonly user: number;
  readonly unit: number;
  readonly userTypes?: readonly number[] | undefined;
  readonly department?: number | null | undefined;
}

/** Makes a user a member of a unit, and returns true when this grants abilities. Throws `conflict` for a member. */
export async function addMembership(
  ctx: MembershipContext,
  { user, unit, userTypes = [], department = null }: Membership,
): Promise<boolean> {
  await requireNoMembership(ctx, user, unit);
  const membership = { unit, userTypes, department };
  const gainsAbilities = await requireNewMembership(ctx, user, membership);
  await insertMembership(ctx, user, membership);
  await rememberFirstUnit(ctx, user);
  return gainsAbilities;
}

type NewMembership = Omit<Membership, "user">;

/** Throws unless the actor may give the user, undefined for a new one, this membership. Returns true when it grants abilities. */
export async function requireNewMembership(ctx: MembershipContext, user: number | undefined, after: NewMembership) {
  requireNoIssues(await membershipIssues(ctx, after));
  return requireMembershipChange(ctx, user, { after: { unit: after.unit, userTypes: after.userTypes ?? [] } });
}

/** Inserts a membership that `requireNewMembership` allows. The caller keeps `users.unit_id`. */
export async function insertMembership(
  { db }: MembershipContext,
  user: number,
  { unit, userTypes = [], department = null }: NewMembership,
): Promise<void> {
  const id = await insertRow(db, "memberships", { user_id: user, unit_id: unit, department_id: department });
  const types = [...new Set(userTypes)].map((user_type_id) => ({ membership_id: id, user_type_id }));
  await insertRows(db, "membership_user_types", types);
  await addToRows(db, "units", unit, { user_count: 1 });
}

interface MembershipState {
  readonly unit: number;
  readonly userTypes: readonly number[];
}

/**
 * Throws `forbidden` unless the actor has every ability that the membership grants before and after the change, in the
 * unit concerned. Only administrators may extend their own membership: even without abilities, it decides what the user
 * may read. Returns true when the membership grants an ability afterwards that it did not grant there before.
 */
export async function requireMembershipChange(
  ctx: MembershipContext,
  user: number | undefined,
  { before, after }: { before?: MembershipState; after?: MembershipState },
): Promise<boolean> {
  if (user === ctx.actor.id && !ctx.actor.admin && after && extendsReach(before, after)) throw ownMembership();
  const abilitiesOf = await loadAbilities(ctx, [before, after]);
  const granted = ({ userTypes }: MembershipState) => userTypes.flatMap((id) => abilitiesOf.get(id) ?? []);
  const grants = [];
  for (const state of [before, after]) {
    if (state === undefined) continue;
    const path = await unitPath(ctx.db, state.unit);
    // The unit may have been deleted since the permission check.
    if (path === undefined) throw invalid({ unit: [`is not an existing unit: ${state.unit}`] });
    grants.push({ path, abilities: granted(state) });
  }
  requireAbilities(ctx.actor, grants);
  const present = before !== undefined && before.unit === after?.unit ? granted(before) : [];
  return after !== undefined && granted(after).some((ability) => !present.includes(ability));
}

function ownMembership(): ServiceError {
  const message = "You cannot extend your own membership; ask another user with the ability user in the unit.";
  return new ServiceError("forbidden", message);
}

/** Returns true when the change adds a unit or a user type. */
function extendsReach(before: MembershipState | undefined, after: MembershipState): boolean {
  return before?.unit !== after.unit || after.userTypes.some((id) => !before.userTypes.includes(id));
}

async function loadAbilities(
  { db }: MembershipContext,
  states: readonly (MembershipState | undefined)[],
): Promise<Map<number, Ability[]>> {
  const ids = [...new Set(states.flatMap((state) => state?.userTypes ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await findRows(db, "user_types", { id: ids }, ["id", "abilities"]);
  return new Map(rows.map((row) => [row.id, JSON.parse(row.abilities)]));
}

export async function membershipIssues(
  ctx: MembershipContext,
  { unit, userTypes = [], department }: Partial<Membership>,
): Promise<FieldIssues> {
  const issues = await referenceIssues(ctx, [["userTypes", "user_types", userTypes]]);
  if (
    unit !== undefined &&
    department != null &&
    !(await findRow(ctx.db, "departments", { id: department, unit_id: unit }, ["id"]))
  ) {
    issues.department = [`is not a department of unit ${unit}: ${department}`];
  }
  return issues;
}

/** Moves a membership to another unit and clears its department. The caller has checked permission. */
export async function moveMembership(
  ctx: MembershipContext,
  { id, user, from, to }: { id: number; user: number; from: number; to: number },
) {
  await requireNoMembership(ctx, user, to);
  await updateRow(ctx.db, "memberships", id, { unit_id: to, department_id: null });
  await addToRows(ctx.db, "units", from, { user_count: -1 });
  await addToRows(ctx.db, "units", to, { user_count: 1 });
  await rememberFirstUnit(ctx, user);
}

/** Ends a membership. Throws `conflict` when it is the user's last one. */
export async function removeMembership(ctx: MembershipContext, user: number, unit: number): Promise<void> {
  const memberships = await findRows(ctx.db, "memberships", { user_id: user }, ["id", "unit_id"]);
  const membership = memberships.find((each) => each.unit_id === unit);
  if (membership === undefined) throw noMembership(user, unit);
  if (memberships.length === 1)
    throw new ServiceError("conflict", "A user needs at least one membership; move this one to another unit instead.");
  const userTypes = await heldTypes(ctx, membership.id);
  await requireMembershipChange(ctx, user, { before: { unit, userTypes } });
  await deleteRows(ctx.db, "memberships", { id: membership.id });
  await addToRows(ctx.db, "units", unit, { user_count: -1 });
  await rememberFirstUnit(ctx, user);
}

export async function removeAllMemberships(ctx: MembershipContext, user: number): Promise<void> {
  const ended = await deleteRows(ctx.db, "memberships", { user_id: user }, ["unit_id"]);
  const units = ended.map(({ unit_id }) => unit_id);
  await addToRows(ctx.db, "units", units, { user_count: -1 });
  await rememberFirstUnit(ctx, user);
}

/** Members moved at a time, for up to 30 ms, when no other request can run on SQLite. */
const portion = 2000;

/**
 * Moves all members of a unit to another and returns their IDs. A user who is already a member of the new unit keeps that
 * membership's department and user types.
 */
export async function moveMembers(ctx: MembershipContext, from: number, to: number): Promise<number[]> {
  const { admin, units } = ctx.actor;
  if (!admin && units.includes(from) && !units.includes(to)) throw ownMembership();
  const members = await findRows(ctx.db, "memberships", { unit_id: from }, ["user_id"]);
  const ids = members.map((member) => member.user_id);
  for await (const some of inTurns(ids, portion)) {
    const merged = await mergeWithLater(ctx, { from, to, users: some });
    const both = await findRows(ctx.db, "memberships", { unit_id: to, user_id: some }, ["user_id"]);
    await deleteRows(ctx.db, "memberships", { unit_id: from, user_id: both.map(({ user_id }) => user_id) });
    const place = { unit_id: to, department_id: null };
    await updateRows(ctx.db, "memberships", { unit_id: from, user_id: some }, place);
    for (const [department_id, rows] of Map.groupBy(merged, (row) => row.department_id))
      await updateRows(ctx.db, "memberships", { id: rows.map(({ first }) => first) }, { department_id });
    await addToRows(ctx.db, "units", to, { user_count: some.length - both.length - merged.length });
    await rememberFirstUnit(ctx, ...some);
  }
  await addToRows(ctx.db, "units", from, { user_count: -ids.length });
  return ids;
}

/**
 * Puts the user types of later memberships in `to` into earlier ones in `from`, which take their place. If the earlier ones
 * ended, the first unit of the user, which decides who may change the account, would become that of a third membership.
 */
async function mergeWithLater(
  { db }: MembershipContext,
  { from, to, users }: { readonly from: number; readonly to: number; readonly users: readonly number[] },
) {
  const pairs = await db
    .selectFrom("memberships as m")
    .innerJoin("memberships as later", "later.user_id", "m.user_id")
    .select(["m.id as first", "later.id as second", "later.department_id"])
    .where("m.unit_id", "=", from)
    .where("m.user_id", "in", users)
    .where("later.unit_id", "=", to)
    .whereRef("later.id", ">", "m.id")
    .execute();
  if (pairs.length === 0) return pairs;
  await deleteRows(db, "membership_user_types", { membership_id: pairs.map(({ first }) => first) });
  const joined = rowsAs(db, "joined", { first: "bigint", second: "bigint" }, pairs);
  await sql`update membership_user_types set membership_id = joined.first from ${joined}
    where membership_user_types.membership_id = joined.second`.execute(db);
  await deleteRows(db, "memberships", { id: pairs.map(({ second }) => second) });
  return pairs;
}

export const findMembership = ({ db }: MembershipContext, user: number, unit: number) =>
  findRow(db, "memberships", { user_id: user, unit_id: unit }, ["id", "department_id"]);

async function requireNoMembership(ctx: MembershipContext, user: number, unit: number): Promise<void> {
  if ((await findMembership(ctx, user, unit)) === undefined) return;
  throw new ServiceError("conflict", `User ${user} is already a member of unit ${unit}.`);
}

export function noMembership(user: number, unit: number): ServiceError {
  return new ServiceError("not_found", `User ${user} is not a member of unit ${unit}.`);
}

export async function heldTypes({ db }: MembershipContext, membership: number): Promise<number[]> {
  const rows = await findRows(db, "membership_user_types", { membership_id: membership }, ["user_type_id"]);
  return rows.map((row) => row.user_type_id);
}

/** Gives a membership exactly these user types. The caller has checked permission. */
export async function setUserTypes(
  ctx: MembershipContext,
  membership: number,
  userTypes: readonly number[],
): Promise<void> {
  const wanted = new Set(userTypes);
  const removed = (await heldTypes(ctx, membership)).filter((id) => !wanted.delete(id));
  if (removed.length > 0)
    await deleteRows(ctx.db, "membership_user_types", { membership_id: membership, user_type_id: removed });
  const rows = [...wanted].map((user_type_id) => ({ membership_id: membership, user_type_id }));
  await insertRows(ctx.db, "membership_user_types", rows);
}

/** Updates `users.unit_id`, which is the unit of the first membership. */
async function rememberFirstUnit(ctx: MembershipContext, ...users: number[]): Promise<void> {
  const first = sql<
    number | null
  >`(select m.unit_id from memberships m where m.user_id = users.id order by m.id limit 1)`;
  await ctx.db.updateTable("users").set({ unit_id: first }).where("id", "in", users).execute();
}
