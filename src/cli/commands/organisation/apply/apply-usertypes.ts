import { fold } from "../../../../contract/fold-text.ts";
import { type Ability, abilities, type Caller, type CallOptions } from "../../../../contract/operation.ts";
import { usertypes } from "../../../../contract/usertypes.ts";
import type { Done } from "../../print-changes.ts";
import { isRemoval, pickChanged, type Task, touches } from "../plan/change.ts";
import type { ApplyContext } from "./apply-context.ts";

/** Creates and changes user types with a request each, because there are few. */
export async function* applyUserTypes({ caller, plan, directory }: ApplyContext): AsyncGenerator<Done[]> {
  for (const { vacated } of listNameTransfers(plan.tasks.usertypes)) await vacateName(vacated, caller);
  for (const task of plan.tasks.usertypes.filter((each) => !isRemoval(each))) {
    const { id } = await putUserType(task, caller);
    directory.userTypes.set(task.change.name, id);
    yield [task.change];
  }
}

/** Lists the names that one user type gives up, because it is renamed or deleted, and another one gets. */
export function listNameTransfers(tasks: readonly Task<"usertypes">[]) {
  const named = tasks.filter((task) => !isRemoval(task) && touches(task.change, ["name"]));
  const takers = new Map(named.map((task) => [fold(task.after.name ?? ""), task]));
  return tasks.flatMap((vacated) => {
    const taker = takers.get(fold(vacated.before?.name ?? ""));
    const isGiven = isRemoval(vacated) || touches(vacated.change, ["name"]);
    return taker && taker !== vacated && isGiven ? [{ vacated, taker }] : [];
  });
}

const temporaryName = (id = 0) => `User type ${id} (being renamed)`;

/** Gives the type a temporary name, because its name is needed before the type is renamed or deleted. */
export function vacateName({ id = 0 }: Task<"usertypes">, caller: Caller, options: CallOptions = {}) {
  return caller.call(usertypes.update, { id, name: temporaryName(id) }, options);
}

/** Checks a change of a type that gets the name of another one. */
export function tryWithoutName(task: Task<"usertypes">, caller: Caller, options: CallOptions) {
  return putUserType({ ...task, after: { ...task.after, name: temporaryName(task.id) } }, caller, options);
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
