import type { Context } from "../../../kit/command-spec.ts";
import { createOutput, formatOf } from "../../../output/create-output.ts";
import type { Page } from "../../../output/item.ts";
import { pluralize } from "../../../output/pluralize.ts";
import { isRemoval, type PlannedChange } from "../plan/change.ts";
import type { OrganisationPlan } from "../plan/make-plan.ts";
import type { Done } from "./apply-context.ts";

/** Yields the changes of a plan, in their order. */
export function* eachChange({ tasks }: OrganisationPlan): Generator<PlannedChange> {
  const { usertypes, units, users, webhooks } = tasks;
  for (const list of [usertypes, units, users, webhooks]) {
    for (const task of list) if (!isRemoval(task)) yield task.change;
  }
  for (const list of [webhooks, users, units, usertypes]) {
    for (const task of list) if (isRemoval(task)) yield task.change;
  }
}

/** Prints changes as they are made, in the selected format. */
export async function print(
  changes: AsyncIterable<readonly Done[]>,
  plan: OrganisationPlan,
  context: Context,
): Promise<void> {
  const { globals } = context;
  const { changeColumns: columns, createChangeWriter, inWords } = await import("./change-writer.ts");
  const secrets = plan.tasks.webhooks.some(({ change }) => change.action === "create");
  const view = {
    columns: [...columns, ...(secrets ? ["secret"] : [])],
    renderer: async () => createChangeWriter,
    items: "differences",
  };
  const asRows = globals.fields === undefined && ["rows", "csv"].includes(formatOf(context));
  async function* pages(): AsyncGenerator<Page<Done>> {
    for await (const some of changes) {
      const items = asRows ? some.map((change) => ({ ...change, changes: inWords(change) })) : some;
      yield { items: items as readonly Done[], more: false, response: some };
    }
  }
  await createOutput(view, context).list(pages());
}

const kinds = { usertype: "user type", unit: "unit", user: "user", webhook: "webhook" };

const past: Record<PlannedChange["action"], string> = {
  create: "created",
  update: "changed",
  move: "moved",
  delete: "deleted",
  deactivate: "deactivated",
};

/** Numbers of changes by action and kind, such as `delete webhook`. */
export type ChangeCounts = Map<`${PlannedChange["action"]} ${PlannedChange["kind"]}`, number>;

/** Adds changes to the numbers. */
export function countChanges(changes: Iterable<PlannedChange>, counts: ChangeCounts = new Map()): ChangeCounts {
  for (const { action, kind } of changes) counts.set(`${action} ${kind}`, (counts.get(`${action} ${kind}`) ?? 0) + 1);
  return counts;
}

/** Returns the numbers of the changes that are not among others. */
export const withoutCounts = (all: ChangeCounts, others: ChangeCounts): ChangeCounts =>
  new Map(
    [...all].map(([key, count]) => [key, count - (others.get(key) ?? 0)] as const).filter(([, count]) => count > 0),
  );

/** Formats numbers of changes: `create 2 units, 1 user; delete 1 webhook`. */
export function summary(counts: ChangeCounts, tense: "present" | "past" = "present"): string {
  const byAction = Map.groupBy(counts, ([key]) => key.split(" ")[0] as PlannedChange["action"]);
  const parts = [...byAction].map(([action, some]) => {
    const numbers = some.map(([key, count]) => pluralize(count, kinds[key.split(" ")[1] as PlannedChange["kind"]]));
    return `${tense === "past" ? past[action] : action} ${numbers.join(", ")}`;
  });
  return parts.join("; ");
}
