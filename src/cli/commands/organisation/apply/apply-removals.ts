import { units } from "../../../../contract/units.ts";
import { users } from "../../../../contract/users.ts";
import { usertypes } from "../../../../contract/usertypes.ts";
import { webhooks } from "../../../../contract/webhooks.ts";
import type { Done } from "../../print-changes.ts";
import type { OrganisationSection } from "../file/organisation-schema.ts";
import { isRemoval, type Task } from "../plan/change.ts";
import type { ApplyContext } from "./apply-context.ts";

/** Removes items that are not in the file, in an order without conflicts. */
export async function* applyRemovals({ caller, plan, snapshot }: ApplyContext): AsyncGenerator<Done[]> {
  const { tasks } = plan;
  yield* removeEach(tasks.webhooks, (id) => caller.call(webhooks.delete, { id }));
  yield* removeEach(tasks.users, (id) => caller.call(users.deactivate, { id }));
  // The members of a unit, and child units without a reference, move to the parent unit.
  yield* removeEach(tasks.units, (id) =>
    caller.call(units.delete, { id, transfer: snapshot.unitById.get(id)?.parent?.id }),
  );
  yield* removeEach(tasks.usertypes, (id) => caller.call(usertypes.delete, { id }));
}

async function* removeEach(
  tasks: Iterable<Task<OrganisationSection>>,
  remove: (id: number) => Promise<void>,
): AsyncGenerator<Done[]> {
  for (const { change, id = 0 } of Iterator.from(tasks).filter(isRemoval)) {
    await remove(id);
    yield [change];
  }
}
