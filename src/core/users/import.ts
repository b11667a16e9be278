import type { z } from "zod";
import type { FieldErrors } from "../../contract/errors.ts";
import type { Ability } from "../../contract/operation.ts";
import { type users as contract, userRow } from "../../contract/users.ts";
import type { Ctx, Handlers } from "../context.ts";
import { parseRows, results } from "../import.ts";
import { may } from "../permissions.ts";
import { emailKey, fold } from "../text-keys.ts";
import { columns } from "./changing.ts";
import { type Existing, type Known, loadUsers, lookUp, typeNames } from "./import-lookup.ts";
import { changeUser, createUsers } from "./import-writing.ts";

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
    if (keysOf(row).some((key) => waiting.has(key))) {
      known.add(await loadUsers(ctx, await flush()));
      waiting.clear();
    }
    const existing = row.reference ? known.byReference.get(row.reference) : known.byEmail.get(emailKey(row.email));
    const problems: FieldErrors = {};
    const wanted = resolve(ctx, known, row, existing, problems);
    if (wanted === undefined) leaveOut(index, problems);
    else if (existing === undefined) {
      pending.push({ index, wanted });
      for (const key of keysOf(row)) waiting.add(key);
    } else {
      const changed = await changeUser(ctx, existing, wanted);
      if (changed) {
        ctx.changed("user.update", existing.id);
        known.add(await loadUsers(ctx, [existing.id]));
      }
      done(index, changed ? "changed" : "unchanged", existing.id);
    }
  }
  await flush();
  return { results: list };
};

function keysOf({ reference, email }: Row): string[] {
  return [`email ${emailKey(email)}`, ...(reference ? [`reference ${reference}`] : [])];
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
  const holder = known.byEmail.get(emailKey(row.email));
  if (holder !== undefined && holder.id !== existing?.id) problems.email = [`is taken by user ${holder.id}`];
  if (existing !== undefined) requireReach(ctx, existing, problems);
  const types = user_types === undefined ? undefined : resolveTypes(ctx, known, user_types, unit, existing, problems);
  const departmentId = department
    ? known.departments.get(`${unit?.id} ${department}`)
    : department === undefined
      ? undefined
      : null;
  if (department && departmentId === undefined) problems.department = [`is no department of the unit: ${department}`];
  if (unit === undefined || Object.keys(problems).length > 0) return undefined;
  const { first_name, last_name, email } = row;
  return { columns: { ...columns(fields), first_name, last_name, email }, unit, types, department: departmentId };
}

function requireReach({ actor }: Ctx, { unit_path, admin }: Existing, problems: FieldErrors): void {
  if (!may(actor, "user", unit_path) || (admin === 1 && !actor.admin)) {
    problems.reference = ["belongs to a user whom you may not change"];
  }
}

function resolveTypes(
  { actor }: Ctx,
  known: Known,
  names: string,
  unit: { path: string } | undefined,
  existing: Existing | undefined,
  problems: FieldErrors,
): number[] {
  const found: number[] = [];
  const reasons: string[] = [];
  for (const name of typeNames(names)) {
    const type = known.types.get(fold(name));
    if (type === undefined) reasons.push(`names no user type: ${name}`);
    else {
      found.push(type.id);
      const beyond = type.abilities.filter((ability: Ability) => !may(actor, ability, unit?.path));
      if (beyond.length > 0 && !existing?.types.includes(type.id))
        reasons.push(`${name} grants what you do not have: ${beyond.join(", ")}`);
    }
  }
  if (reasons.length > 0) problems.user_types = reasons;
  return [...new Set(found)];
}
