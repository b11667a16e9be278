import type { z } from "zod";
import type { FieldErrors } from "../../contract/errors.ts";
import { userRow } from "../../contract/user-forms.ts";
import type { users as contract } from "../../contract/users.ts";
import { isAmong } from "../../store/dialect.ts";
import type { Ctx, Handlers } from "../context.ts";
import { parseRows, results } from "../import.ts";
import { may, missingAbilities } from "../permissions.ts";
import { emailKey, fold } from "../text-keys.ts";
import { columns } from "./changing.ts";
import { type Existing, type Known, loadUsers, lookUp, type Type, typeNames } from "./import-lookup.ts";
import { changeUser, createUsers, differences } from "./import-writing.ts";

export type Row = z.infer<ReturnType<typeof userRow>>;

/** What a row asks for, in terms of the database. Undefined is left as it is. */
export interface Wanted {
  readonly columns: Partial<ReturnType<typeof columns>> & { first_name: string; last_name: string; email: string };
  readonly unit: { id: number; path: string };
  readonly types: readonly number[] | undefined;
  readonly department: number | null | undefined;
}

type Import = Handlers<typeof contract>["import"];

/** Rows are taken in their order, as if each came alone; new users are written together. */
export const importRows: Import = async (ctx, { rows, create_user_types }) => {
  const { list, leaveOut, done } = results(rows);
  const parsed = parseRows(userRow(), rows);
  const good = parsed.flatMap((each) => ("row" in each ? [each.row] : []));
  const known = await lookUp(ctx, good, create_user_types);
  let pending: { index: number; wanted: Wanted }[] = [];
  const flush = async () => {
    const ids = await createUsers(
      ctx,
      pending.map((each) => each.wanted),
    );
    for (const id of ids) ctx.changed("user.create", id);
    for (const [position, { index }] of pending.entries()) done(index, "created", ids[position]!);
    pending = [];
    return ids;
  };
  const waiting = new Set<string>();
  for (const each of parsed) {
    if ("fields" in each) {
      leaveOut(each.index, each.fields);
      continue;
    }
    const { index, row } = each;
    // A row about somebody whom an earlier row makes has to see what that row made.
    const keys = keysOf(row);
    if (keys.some((key) => waiting.has(key))) {
      known.add(await loadUsers(ctx, await flush()));
      waiting.clear();
    }
    const existing = row.reference ? known.byReference.get(row.reference) : known.byEmail.get(emailKey(row.email));
    const problems: FieldErrors = {};
    const wanted = resolve(ctx, known, row, existing, problems);
    const changes = wanted && existing && differences(existing, wanted);
    if (changes && existing) requireTakeover(ctx, existing, { ...changes, unit: wanted.unit.id }, problems);
    if (wanted === undefined || Object.keys(problems).length > 0) leaveOut(index, problems);
    else if (existing === undefined) {
      pending.push({ index, wanted });
      for (const key of keys) waiting.add(key);
    } else {
      if (changes) {
        await changeUser(ctx, existing, wanted, changes);
        ctx.changed("user.update", existing.id);
        known.add(await loadUsers(ctx, [existing.id]));
      }
      done(index, changes ? "changed" : "unchanged", existing.id);
    }
  }
  await flush();
  await dropUnheld(ctx, known.newTypes);
  return { results: list };
};

function keysOf({ reference, email }: Row): string[] {
  const byEmail = `email ${emailKey(email)}`;
  return reference ? [byEmail, `reference ${reference}`] : [byEmail];
}

/** Finds what the row names and whether the actor may do it; `problems` gets every reason why not. */
function resolve(
  ctx: Ctx,
  known: Known,
  row: Row,
  existing: Existing | undefined,
  problems: FieldErrors,
): Wanted | undefined {
  const { unit: unitReference, user_types, department, ...fields } = row;
  const unit = known.units.get(unitReference);
  if (unit === undefined) problems.unit = [`names no unit: ${unitReference}`];
  else if (!may(ctx.actor, "user", unit.path)) problems.unit = ["is outside of what you may administer"];
  else if (existing && existing.unit_id !== unit.id && existing.units.includes(unit.id))
    problems.unit = [`has user ${existing.id} as a member already`];
  const holder = known.byEmail.get(emailKey(row.email));
  if (holder !== undefined && holder.id !== existing?.id) problems.email = [`is taken by user ${holder.id}`];
  if (existing !== undefined) requireReach(ctx, existing, problems);
  const types = user_types === undefined ? undefined : resolveTypes(known, user_types, problems);
  if (unit !== undefined) requireGrantable(ctx, unit, existing, types, problems);
  const departmentId = department
    ? known.departments.get(`${unit?.id} ${department}`)
    : department === undefined
      ? undefined
      : null;
  if (department && departmentId === undefined) problems.department = [`is no department of the unit: ${department}`];
  if (unit === undefined || Object.keys(problems).length > 0) return undefined;
  const { first_name, last_name, email } = row;
  return {
    columns: { ...columns(fields), first_name, last_name, email },
    unit,
    types: types?.map((type) => type.id),
    department: departmentId,
  };
}

function requireReach({ actor }: Ctx, { unit_path, admin }: Existing, problems: FieldErrors): void {
  if (!may(actor, "user", unit_path) || (admin === 1 && !actor.admin)) {
    problems.reference = ["belongs to a user whom you may not change"];
  }
}

/**
 * A row can give somebody's account away by the address, the reference or the memberships, so all that the user is entitled
 * to has to be the actor's. Nobody extends the own membership.
 */
function requireTakeover(
  { actor }: Ctx,
  { id, grants, unit_id, types: held }: Existing,
  { unit, types = [] }: { unit: number; types: readonly number[] | undefined },
  problems: FieldErrors,
): void {
  if (actor.admin) return;
  const missing = missingAbilities(actor, grants);
  if (missing.length > 0) {
    problems.reference = [
      `belongs to a user whom you may not change, with abilities beyond yours: ${missing.join(", ")}`,
    ];
  }
  if (id !== actor.id) return;
  if (unit !== unit_id) problems.unit = ["is a unit to which you may not change your own membership"];
  const added = types.some((type) => !held.some((each) => each.id === type));
  if (added) problems.user_types = ["are more than you have, and you may not change your own"];
}

function resolveTypes(known: Known, names: string, problems: FieldErrors): Type[] {
  const found = new Map<number, Type>();
  const unknown: string[] = [];
  for (const name of typeNames(names)) {
    const type = known.types.get(fold(name));
    if (type === undefined) unknown.push(`names no user type: ${name}`);
    else found.set(type.id, type);
  }
  if (unknown.length > 0) problems.user_types = unknown;
  return [...found.values()];
}

/** Only abilities that one has there oneself can be given or taken; whoever moves takes along what is held. */
function requireGrantable(
  { actor }: Ctx,
  unit: { id: number; path: string },
  existing: Existing | undefined,
  wanted: readonly Type[] | undefined,
  problems: FieldErrors,
): void {
  const held = existing?.types ?? [];
  const moved = existing !== undefined && existing.unit_id !== unit.id;
  const isIn = (types: readonly Type[], type: Type) => types.some((each) => each.id === type.id);
  const touched = [...held, ...(wanted ?? []).filter((type) => !isIn(held, type))].filter(
    (type) => moved || isIn(held, type) !== isIn(wanted ?? held, type),
  );
  for (const { name, abilities } of touched) {
    const beyond = abilities.filter((ability) => !may(actor, ability, unit.path));
    if (beyond.length > 0) {
      problems.user_types ??= [];
      problems.user_types.push(`${name} grants what you do not have: ${beyond.join(", ")}`);
    }
  }
}

/** Takes back the user types that were made for rows which were left out. */
async function dropUnheld({ db }: Ctx, types: readonly number[]): Promise<void> {
  if (types.length === 0) return;
  await db
    .deleteFrom("user_types")
    .where((eb) => isAmong(db, eb.ref("id"), types))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("membership_user_types as mt")
            .select("mt.user_type_id")
            .whereRef("mt.user_type_id", "=", "user_types.id"),
        ),
      ),
    )
    .execute();
}
