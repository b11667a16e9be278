import { type Ability, abilities, type Caller, type CallOptions } from "../../../../contract/operation.ts";
import { usertypes } from "../../../../contract/usertypes.ts";
import { isRemoval, type Task, touches } from "../plan/change.ts";
import type { ApplyContext, Done } from "./apply-context.ts";

/** Creates and changes user types with a request each, because there are few. */
export async function* applyUserTypes({ caller, signal, plan, directory }: ApplyContext): AsyncGenerator<Done[]> {
  for (const task of plan.tasks.usertypes.filter((each) => !isRemoval(each))) {
    signal.throwIfAborted();
    const { id } = await putUserType(task, caller);
    directory.userTypes.set(task.change.name, id);
    yield [task.change];
  }
}

/** Makes the change, or checks it in a dry run. */
export function putUserType({ id, change, after }: Task<"usertypes">, caller: Caller, options: CallOptions = {}) {
  const { reference, name = "" } = after;
  if (id === undefined) {
    return caller.call(usertypes.create, { name, reference, abilities: flagsOf(after.abilities) }, options);
  }
  const changed = {
    ...(touches(change, ["name"]) && { name }),
    ...(touches(change, ["reference"]) && { reference }),
    ...(touches(change, ["abilities"]) && { abilities: flagsOf(after.abilities) }),
  };
  return caller.call(usertypes.update, { id, ...changed }, options);
}

const flagsOf = (granted: readonly Ability[] = []) =>
  Object.fromEntries(abilities.map((ability) => [ability, granted.includes(ability)]));
