import { webhooks } from "../../../../contract/webhooks.ts";
import type { Done } from "../../print-changes.ts";
import { isRemoval, pickChanged } from "../plan/change.ts";
import type { ApplyContext } from "./apply-context.ts";

/** Creates and changes webhooks. The result of a creation has the only copy of the secret. */
export async function* applyWebhooks({ caller, plan }: ApplyContext): AsyncGenerator<Done[]> {
  for (const task of plan.tasks.webhooks.filter((each) => !isRemoval(each))) {
    const { change, id, after } = task;
    if (id === undefined) {
      const { name, uri = "", triggers, active } = after;
      const { data } = await caller.call(webhooks.create, { name, uri, triggers, active });
      yield [{ ...change, secret: data.secret ?? "" }];
      continue;
    }
    await caller.call(webhooks.update, { id, ...pickChanged(task, ["uri", "triggers", "active"]) });
    yield [change];
  }
}
