import { type Ability, abilities, type Caller, type CallOptions } from "../../../../contract/operation.ts";
import { usertypes } from "../../../../contract/usertypes.ts";
import type { Done } from "../../print-changes.ts";
import { isRemoval, pickChanged, type Task } from "../plan/change.ts";
import type { ApplyContext } from "./apply-context.ts";

/** Creates and changes user types with a request each, because there are few. */
export async function* applyUserTypes({ caller, plan, directory }: ApplyContext): AsyncGenerator<Done[]> {
  for (const task of plan.tasks.usertypes.filter((each) => !isRemoval(each))) {
    const { id } = await putUserType(task, caller);
    directory.userTypes.set(task.change.name, id);
    yield [task.change];
  }
}

/** Makes the change, or checks it in a dry run. */
export function putUserType(task: Task<"usertypes">, caller: Caller, options: CallOptions = {}) {
  const { id, after } = task;
  const { reference, name = "" } = after;
  if (id === undefined) {
    return caller.call(usertypes.create, { name, reference, abilities: flagsOf(after.abilities) }, options);
  }
  const { abilities: granted, ...changed } = pickChanged(task, ["name", "reference", "abilities"]);
  return caller.call(usertypes.update, { id, ...changed, ...(granted && { abilities: flagsOf(granted) }) }, options);
}

const flagsOf = (granted: readonly Ability[] = []) =>
  Object.fromEntries(abilities.map((ability) => [ability, granted.includes(ability)]));
