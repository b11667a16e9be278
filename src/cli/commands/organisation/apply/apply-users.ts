import { isDeepStrictEqual } from "node:util";
import type { Caller } from "../../../../contract/operation.ts";
import { userRow } from "../../../../contract/user-schemas.ts";
import { users } from "../../../../contract/users.ts";
import type { FileRow } from "../../../file-io/file-rows.ts";
import { requireOutcomes } from "../../../file-io/require-outcomes.ts";
import { fieldSentences } from "../../../output/field-sentences.ts";
import type { Done } from "../../print-changes.ts";
import type { OrganisationEntry } from "../file/organisation-schema.ts";
import { isRemoval, type Task, touches } from "../plan/change.ts";
import { type ApplyContext, departmentKey, idOfReference, inBatches } from "./apply-context.ts";

/** Fields that the import of users accepts; other fields take a request each. */
const importedUserFields = userRow().keyof().options;

export const maxUserRows = 1000;

/** Creates and changes users. Those who get another address come first, because only rows of one request can pass addresses on. */
export async function* applyUsers(work: ApplyContext): AsyncGenerator<Done[]> {
  const { plan, caller } = work;
  const tasks = () => Iterator.from(plan.tasks.users).filter((task) => !isRemoval(task));
  function* inRows() {
    yield* tasks().filter((task) => isForImport(task) && getsAnotherAddress(task));
    yield* tasks().filter((task) => isForImport(task) && !getsAnotherAddress(task));
  }
  for await (const batch of inBatches(inRows(), (task) => userRowOf(task, work.plan), maxUserRows)) {
    for (const task of batch.tasks) await makeReady(task, work);
    const { results } = await caller.call(users.import, { rows: [...batch.rows] });
    const outcomes = requireOutcomes(results, batch.rows, false);
    const done: Done[] = [];
    for (const [at, task] of batch.tasks.entries()) {
      // There is an outcome for each row.
      const { id, fields } = outcomes[at]!;
      if (fields || id === null) work.refusals.push({ path: task.path, what: fieldSentences(fields).join("; ") });
      else {
        await complete(task, id, work);
        if (!losesAccess(task)) done.push(task.change);
      }
    }
    yield done;
  }
  for (const task of tasks().filter((each) => !isForImport(each))) {
    await makeReady(task, work);
    await complete(task, task.id ?? 0, work);
    if (!losesAccess(task)) yield [task.change];
  }
}

/** Takes away rights and access, last of all from the current user, whose rights the other changes may need. */
export async function* applyLosses({ plan, caller }: ApplyContext): AsyncGenerator<Done[]> {
  const losing = () => Iterator.from(plan.tasks.users).filter(losesAccess);
  if (losing().next().done) return;
  const me = await caller.call(users.current, {});
  function* meLast() {
    yield* losing().filter(({ id }) => id !== me.id);
    yield* losing().filter(({ id }) => id === me.id);
  }
  for (const task of meLast()) {
    await setAccess(task, task.id ?? 0, caller);
    yield [task.change];
  }
}

/** Grants or revokes administrator rights, activates or deactivates. New users are active and no administrators. */
async function setAccess({ change, before, after }: Task<"users">, id: number, caller: Caller): Promise<void> {
  if (touches(change, ["admin"]) && (before || after.admin))
    await caller.call(users.update, { id, admin: after.admin });
  if (touches(change, ["active"]) && (before || !after.active))
    await caller.call(after.active ? users.reactivate : users.deactivate, { id });
}

/** Returns true when an existing user loses administrator rights or is deactivated. */
const losesAccess = (task: Task<"users">): boolean =>
  task.before !== undefined &&
  !isRemoval(task) &&
  ((touches(task.change, ["admin"]) && !task.after.admin) || (touches(task.change, ["active"]) && !task.after.active));

export const getsAnotherAddress = ({ change, before }: Task<"users">): boolean =>
  before !== undefined && touches(change, ["email"]);

export const isForImport = ({ change }: Task<"users">): boolean =>
  change.action === "create" || touches(change, importedUserFields);

/** Returns the import row for a task: the changed fields and the required ones. */
export function userRowOf({ change, after }: Task<"users">, { userTypes }: ApplyContext["plan"]): FileRow {
  const { reference, first_name, last_name, email, unit } = after;
  // A row with another unit takes the user out of the department, even if the new one has the same name.
  const isChanged = (field: string) => touches(change, field === "department" ? [field, "unit"] : [field]);
  const changed = importedUserFields.filter(isChanged);
  const fields = changed.map((field) => {
    const value = field === "user_types" ? after.user_types?.map(userTypes.nameOf).join(";") : after[field];
    return [field, value ?? ""] as const;
  });
  return { ...(reference && { reference }), first_name, last_name, email, unit, ...Object.fromEntries(fields) };
}

type Membership = NonNullable<OrganisationEntry<"users">["memberships"]>[number];

const furtherOf = (entry: OrganisationEntry<"users"> | undefined) =>
  new Map<string, Membership>((entry?.memberships ?? []).map((each) => [each.unit, each]));

/** Makes the changes that must precede the import row of a user. */
async function makeReady({ id, change, before, after }: Task<"users">, work: ApplyContext): Promise<void> {
  const { caller, directory } = work;
  if (id === undefined) return;
  // The import matches the row by reference.
  if (touches(change, ["reference"])) await caller.call(users.update, { id, reference: after.reference });
  if (!touches(change, ["memberships"])) return;
  const wanted = furtherOf(after);
  for (const unit of furtherOf(before).keys()) {
    if (!wanted.has(unit))
      await caller.call(users.membershipRemove, { user: id, unit: idOfReference(directory.units, unit) });
  }
}

/** Makes the changes that an import row cannot express. */
async function complete(task: Task<"users">, id: number, work: ApplyContext): Promise<void> {
  if (touches(task.change, ["memberships"])) await setMemberships(id, task, work);
  if (!losesAccess(task)) await setAccess(task, id, work.caller);
}

async function setMemberships(
  user: number,
  { before, after }: Task<"users">,
  { caller, directory }: ApplyContext,
): Promise<void> {
  const old = furtherOf(before);
  for (const [reference, membership] of furtherOf(after)) {
    const existing = old.get(reference);
    if (isDeepStrictEqual(existing, membership)) continue;
    const unit = idOfReference(directory.units, reference);
    const userTypes = (membership.user_types ?? []).map((label) => idOfReference(directory.userTypes, label));
    const name = membership.department;
    const department = name ? idOfReference(directory.departments, departmentKey(reference, name)) : undefined;
    if (existing) {
      await caller.call(users.membershipSet, { user, from: unit, userTypes, department: department ?? null });
    } else await caller.call(users.membershipAdd, { user, unit, userTypes, department });
  }
}
