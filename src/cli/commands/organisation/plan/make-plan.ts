import type { PlannedChange } from "../../print-changes.ts";
import { isRemoval } from "./change.ts";
import type { Labels } from "./current-entries.ts";
import type { Planning } from "./plan-context.ts";
import { planUnits } from "./plan-units.ts";
import { planUsers } from "./plan-users.ts";
import { planUserTypes } from "./plan-usertypes.ts";
import { planWebhooks } from "./plan-webhooks.ts";

/** The tasks in an order that respects their dependencies, and the labels that they use. */
export type OrganisationPlan = Awaited<ReturnType<typeof makePlan>>;

/** Compares a file with an instance. Throws `validation_failed` with all issues of the file. */
export async function makePlan(planning: Planning) {
  const { snapshot, issues } = planning;
  const userTypes = planUserTypes(planning);
  const labels: Labels = { units: (id) => snapshot.unitById.get(id)?.reference ?? null, userTypes: userTypes.labelOf };
  const units = planUnits(planning, labels);
  const webhooks = await planWebhooks(planning);
  const users = await planUsers({ ...planning, units, userTypes, labels });
  await issues.refuse();
  const tasks = { usertypes: userTypes.tasks, units: units.tasks, users: users.tasks, webhooks };
  return { tasks, userTypes, units, activeUsers: users.active };
}

export function* eachChange({ tasks }: OrganisationPlan): Generator<PlannedChange> {
  const { usertypes, units, users, webhooks } = tasks;
  for (const list of [usertypes, units, users, webhooks]) {
    for (const task of list) if (!isRemoval(task)) yield task.change;
  }
  for (const list of [webhooks, users, units, usertypes]) {
    for (const task of list) if (isRemoval(task)) yield task.change;
  }
}

/** Returns true when a plan creates webhooks, whose secrets are in the results. */
export const hasSecrets = ({ tasks }: OrganisationPlan): boolean =>
  tasks.webhooks.some(({ change }) => change.action === "create");
