import { ServiceError } from "../../../../contract/errors.ts";
import { isPermissionIssue } from "../../../../contract/issue-messages.ts";
import { units } from "../../../../contract/units.ts";
import { users } from "../../../../contract/users.ts";
import { usertypes } from "../../../../contract/usertypes.ts";
import { requireOutcomes } from "../../../file-io/require-outcomes.ts";
import { fieldSentences } from "../../../output/field-sentences.ts";
import { isRemoval, type Task, touches } from "../plan/change.ts";
import type { OrganisationPlan } from "../plan/make-plan.ts";
import type { OrganisationSnapshot, Planning } from "../plan/plan-context.ts";
import { inBatches } from "./apply-context.ts";
import { getsAnotherAddress, isForImport, maxUserRows, userRowOf } from "./apply-users.ts";
import { listNameTransfers, putUserType, tryWithoutName, vacateName } from "./apply-usertypes.ts";

/** Checks permissions and calls the service with dry runs before the first change. */
export async function tryPlan(plan: OrganisationPlan, planning: Planning): Promise<void> {
  await tryUserTypes(plan, planning);
  await tryUnits(plan, planning);
  await tryUsers(plan, planning);
  await planning.issues.refuse();
}

const dryRun = { dryRun: true };

async function tryUserTypes({ tasks }: OrganisationPlan, { caller, organisation }: Planning): Promise<void> {
  const transfers = listNameTransfers(tasks.usertypes);
  for (const { vacated } of transfers) await vacateName(vacated, caller, dryRun);
  const takers = new Set(transfers.map(({ taker }) => taker));
  for (const task of tasks.usertypes) {
    if (takers.has(task)) await tryWithoutName(task, caller, dryRun);
    else if (!isRemoval(task)) await putUserType(task, caller, dryRun);
    // With users in the file the plan has checked the holders already; the present holders may differ.
    else if (!organisation.users) await caller.call(usertypes.delete, { id: task.id ?? 0 }, dryRun);
  }
}

async function tryUnits({ tasks }: OrganisationPlan, { caller, snapshot }: Planning): Promise<void> {
  if (tasks.units.length === 0) return;
  await caller.call(units.import, { rows: [] }, dryRun);
  for (const { change, id, after } of tasks.units) {
    const own = id === undefined ? undefined : snapshot.unitById.get(id);
    const parent = change.action === "update" ? undefined : snapshot.unitByReference.get(after.parent ?? "");
    const closed = [own, parent].find((unit) => unit?.permissions.edit === false);
    if (closed === undefined) continue;
    throw new ServiceError(
      "forbidden",
      `You don't have the ability units in unit ${closed.reference}; nothing was changed.`,
    );
  }
}

async function tryUsers(plan: OrganisationPlan, planning: Planning): Promise<void> {
  const { caller, snapshot, issues } = planning;
  const tasks = plan.tasks.users;
  if (tasks.size === 0) return;
  await requireAdministrator(tasks, planning);
  await caller.call(users.import, { rows: [] }, dryRun);
  const changing = new Set(plan.tasks.usertypes.map((task) => task.change.name));
  const ready = Iterator.from(tasks).filter(
    (task) => !isRemoval(task) && isForImport(task) && isReady(task, changing, snapshot),
  );
  const addressesChange = Iterator.from(tasks).some(getsAnotherAddress);
  for await (const batch of inBatches(ready, (task) => userRowOf(task, plan), maxUserRows)) {
    const { results } = await caller.call(users.import, { rows: [...batch.rows] }, dryRun);
    for (const [at, { fields, issues: rowIssues = [] }] of requireOutcomes(results, batch.rows, true).entries()) {
      const { email, ...others } = fields ?? {};
      // An address that is taken now may become free by the other changes.
      const wrong = email && !addressesChange ? { email, ...others } : others;
      if (rowIssues.some((issue) => issue.field in wrong && isPermissionIssue(issue)))
        throw forbidden(fieldSentences(wrong));
      for (const [name, reasons] of Object.entries(wrong)) {
        // There is a task for each outcome.
        for (const reason of reasons) issues.add([...batch.tasks[at]!.path, name], reason);
      }
    }
  }
}

const forbidden = ([reason]: readonly string[]) =>
  new ServiceError("forbidden", `A user in the file cannot be imported: ${reason}; nothing was changed.`);

async function requireAdministrator(tasks: Iterable<Task<"users">>, { caller, issues }: Planning): Promise<void> {
  if (!Iterator.from(tasks).some(concernsAdministrator)) return;
  const { id, admin } = await caller.call(users.current, {});
  // Throws for an API token, which cannot change administrators even if its owner can.
  if (admin) {
    await caller.call(users.update, { id, admin }, { dryRun: true });
    const own = Iterator.from(tasks).find((task) => task.id === id && touches(task.change, ["admin"]));
    // Either of the two takes away the right to the other.
    if (own && touches(own.change, ["active"]))
      issues.add(
        [...own.path, "active"],
        "cannot be false together with admin for yourself; remove one of the two, or let another administrator apply the file",
      );
    return;
  }
  throw new ServiceError("forbidden", "Only administrators can make or change administrators; nothing was changed.", {
    hint: "Remove admin, and changes of administrators, from the file.",
  });
}

/** Returns true when the task grants or revokes administrator rights, or deactivates or reactivates an administrator. */
function concernsAdministrator(task: Task<"users">): boolean {
  const { change, before, after } = task;
  if (touches(change, ["admin"]) && (before || after.admin)) return true;
  return before?.admin === true && (isRemoval(task) || touches(change, ["active"]));
}

/** Returns true when everything that the row refers to exists already and does not change. */
function isReady(
  { change, before, after }: Task<"users">,
  changing: ReadonlySet<string>,
  { unitByReference }: OrganisationSnapshot,
): boolean {
  if (before && touches(change, ["reference", "memberships"])) return false;
  const unit = unitByReference.get(after.unit ?? "");
  if (unit === undefined) return false;
  if (after.department && !unit.departments.some(({ name }) => name === after.department)) return false;
  return !(after.user_types ?? []).some((label) => changing.has(label));
}
