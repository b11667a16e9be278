import { units } from "../../../../contract/units.ts";
import { users } from "../../../../contract/users.ts";
import { usertypes } from "../../../../contract/usertypes.ts";
import { webhooks } from "../../../../contract/webhooks.ts";
import { isRemoval } from "../plan/change.ts";
import type { ApplyContext, Done } from "./apply-context.ts";

/** Removes items that are not in the file, in an order without conflicts. */
export async function* applyRemovals({ caller, signal, plan, held }: ApplyContext): AsyncGenerator<Done[]> {
  const { tasks } = plan;
  for (const { change, id = 0 } of tasks.webhooks.filter(isRemoval)) {
    signal.throwIfAborted();
    await caller.call(webhooks.delete, { id });
    yield [change];
  }
  for (const { change, id = 0 } of Iterator.from(tasks.users).filter(isRemoval)) {
    signal.throwIfAborted();
    await caller.call(users.deactivate, { id });
    yield [change];
  }
  for (const { change, id = 0 } of tasks.units.filter(isRemoval)) {
    signal.throwIfAborted();
    // Its members, and child units without a reference, move to the parent unit.
    await caller.call(units.delete, { id, transfer: held.unitById.get(id)?.parent?.id });
    yield [change];
  }
  for (const { change, id = 0 } of tasks.usertypes.filter(isRemoval)) {
    signal.throwIfAborted();
    await caller.call(usertypes.delete, { id });
    yield [change];
  }
}
