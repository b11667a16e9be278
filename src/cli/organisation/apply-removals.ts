import { units } from "../../contract/units.ts";
import { users } from "../../contract/users.ts";
import { usertypes } from "../../contract/usertypes.ts";
import { webhooks } from "../../contract/webhooks.ts";
import { isRemoval } from "./change.ts";
import type { Done, Work } from "./working.ts";

/** Takes away what a file does not have, so that nothing is in the way of what goes later. */
export async function* applyRemovals({ caller, signal, plan, held }: Work): AsyncGenerator<Done[]> {
  const { tasks } = plan;
  for (const { change, id = 0 } of tasks.webhooks.filter(isRemoval)) {
    signal.throwIfAborted();
    await caller.call(webhooks.delete, { id });
    yield [change];
  }
  for (const { change, id = 0 } of tasks.users.filter(isRemoval)) {
    signal.throwIfAborted();
    await caller.call(users.deactivate, { id });
    yield [change];
  }
  for (const { change, id = 0 } of tasks.units.filter(isRemoval)) {
    signal.throwIfAborted();
    // Those who are in it, and units that no file can name, go to the unit above.
    await caller.call(units.delete, { id, transfer: held.unitById.get(id)?.parent?.id });
    yield [change];
  }
  for (const { change, id = 0 } of tasks.usertypes.filter(isRemoval)) {
    signal.throwIfAborted();
    await caller.call(usertypes.delete, { id });
    yield [change];
  }
}
