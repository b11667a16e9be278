import { webhooks } from "../../../../contract/webhooks.ts";
import { isRemoval, touches } from "../plan/change.ts";
import type { ApplyContext, Done } from "./apply-context.ts";

const fields = ["uri", "triggers", "active"] as const;

/** Creates and changes webhooks. The result of a creation has the only copy of the secret. */
export async function* applyWebhooks({ caller, signal, plan }: ApplyContext): AsyncGenerator<Done[]> {
  for (const { change, id, after } of plan.tasks.webhooks.filter((task) => !isRemoval(task))) {
    signal.throwIfAborted();
    const { name, uri = "", triggers } = after;
    if (id === undefined) {
      const { data } = await caller.call(webhooks.create, { name, uri, triggers });
      yield [{ ...change, secret: data.secret ?? "" }];
      if (after.active === false) await caller.call(webhooks.update, { id: data.id, active: false });
      continue;
    }
    const changed = fields.filter((field) => touches(change, [field]));
    await caller.call(webhooks.update, { id, ...Object.fromEntries(changed.map((field) => [field, after[field]])) });
    yield [change];
  }
}
