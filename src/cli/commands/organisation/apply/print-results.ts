import type { Context } from "../../../kit/command-spec.ts";
import { createOutput, formatOf } from "../../../output/create-output.ts";
import type { Page } from "../../../output/item.ts";
import { pluralize } from "../../../output/pluralize.ts";
import { isRemoval, type PlannedChange } from "../plan/change.ts";
import type { OrganisationPlan } from "../plan/make-plan.ts";
import type { Done } from "./apply-context.ts";

/** Returns the changes of a plan, in their order. */
export function changesOf({ tasks }: OrganisationPlan): PlannedChange[] {
  const { usertypes, units, users, webhooks } = tasks;
  const made = [...usertypes, ...units, ...users, ...webhooks].filter((task) => !isRemoval(task));
  const removed = [...webhooks, ...users, ...units, ...usertypes].filter(isRemoval);
  return [...made, ...removed].map(({ change }) => change);
}

/** Prints changes as they are made, in the selected format. */
export async function print(
  changes: AsyncIterable<readonly Done[]>,
  plan: OrganisationPlan,
  context: Context,
): Promise<void> {
  const { globals, terminal } = context;
  const { changeColumns: columns, createChangeWriter, inWords } = await import("./change-writer.ts");
  const secrets = plan.tasks.webhooks.some(({ change }) => change.action === "create");
  const view = {
    columns: [...columns, ...(secrets ? ["secret"] : [])],
    renderer: async () => createChangeWriter,
    items: "differences",
  };
  const asRows = globals.fields === undefined && ["rows", "csv"].includes(formatOf(globals, terminal));
  async function* pages(): AsyncGenerator<Page> {
    for await (const some of changes) {
      const items = asRows ? some.map((change) => ({ ...change, changes: inWords(change) })) : some;
      yield { items: items as Page["items"], more: false, response: some };
    }
  }
  await createOutput(view, globals, terminal).list(pages());
}

const kinds = { usertype: "user type", unit: "unit", user: "user", webhook: "webhook" };

const past: Record<PlannedChange["action"], string> = {
  create: "created",
  update: "changed",
  move: "moved",
  delete: "deleted",
  deactivate: "deactivated",
};

/** Counts changes by action and kind: `create 2 units, 1 user; delete 1 webhook`. */
export function summary(changes: readonly PlannedChange[], tense: "present" | "past" = "present"): string {
  const byAction = Map.groupBy(changes, ({ action }) => action);
  const parts = [...byAction].map(([action, some]) => {
    const byKind = [...Map.groupBy(some, ({ kind }) => kind)];
    const counts = byKind.map(([kind, each]) => pluralize(each.length, kinds[kind]));
    return `${tense === "past" ? past[action] : action} ${counts.join(", ")}`;
  });
  return parts.join("; ");
}
