import type { Caller, CallOptions } from "../../../contract/operation.ts";
import { units } from "../../../contract/units.ts";
import type { CommandEnvironment } from "../../kit/command-context.ts";
import { isGroup, isOperation } from "../../kit/command-spec.ts";
import { parseWithIssues } from "../../kit/commander-command.ts";
import { findOneByName } from "../../kit/find-by-name.ts";
import { unitIn } from "../../kit/find-department.ts";
import { buildOperation, createInputSpec } from "../../kit/input-spec.ts";
import { LineIssues } from "../../kit/line-issues.ts";
import { givenIn } from "../../kit/read-input.ts";
import { findCommand } from "../../kit/router.ts";

export async function departmentsOnLine(
  words: readonly string[],
  { program, terminal }: CommandEnvironment,
  caller: Caller,
  options: CallOptions,
) {
  const unit = await unitOnLine(words, { program, terminal });
  if (unit === undefined) return [];
  const id = await findOneByName("units", "", unit, { caller, terminal });
  return (await caller.call(units.get, { id }, options)).departments;
}

async function unitOnLine(words: readonly string[], { program, terminal }: CommandEnvironment): Promise<unknown> {
  // Some shells leave out the word that is being typed, and its flag then has no value.
  const whole = words.at(-1)?.startsWith("--") ? words.slice(0, -1) : words;
  const { entry, path, rest } = await findCommand(program.registry, whole);
  if (entry === undefined || isGroup(entry) || !isOperation(entry)) return undefined;
  const spec = createInputSpec(entry);
  const line = await parseWithIssues(buildOperation(entry, path, terminal, spec), rest, new LineIssues());
  return unitIn(spec.fields, Object.fromEntries(spec.places.map((place) => [place.path[0], givenIn(place, line)])));
}
