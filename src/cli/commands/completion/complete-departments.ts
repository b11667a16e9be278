import type { Caller, CallOptions } from "../../../contract/operation.ts";
import { units } from "../../../contract/units.ts";
import type { CommandEnvironment } from "../../kit/command-context.ts";
import { isGroup, isOperation } from "../../kit/command-spec.ts";
import { parseWithIssues } from "../../kit/commander-command.ts";
import { findOneByName } from "../../kit/find-by-name.ts";
import { buildOperation, createInputSpec } from "../../kit/input-spec.ts";
import { LineIssues } from "../../kit/line-issues.ts";
import { attribute } from "../../kit/read-input.ts";
import { findCommand } from "../../kit/router.ts";

/** Returns the departments of the unit on an incomplete command line. */
export async function departmentsOnLine(
  words: readonly string[],
  { program, terminal }: CommandEnvironment,
  caller: Caller,
  options: CallOptions,
) {
  const unit = await unitOnLine(words, { program, terminal });
  if (unit === undefined) return [];
  const id = await findOneByName("units", "", unit, caller, terminal);
  return (await caller.call(units.get, { id }, options)).departments;
}

async function unitOnLine(words: readonly string[], { program, terminal }: CommandEnvironment): Promise<unknown> {
  // Some shells leave out the word that is being typed, and its flag then has no value.
  const whole = words.at(-1)?.startsWith("--") ? words.slice(0, -1) : words;
  const { entry, path, rest } = await findCommand(program.registry, whole);
  if (entry === undefined || isGroup(entry) || !isOperation(entry)) return undefined;
  const spec = createInputSpec(entry);
  const line = await parseWithIssues(buildOperation(entry, path, terminal, spec), rest, new LineIssues());
  const given = new Map<string, unknown>([
    ...spec.args.map((arg, at) => [arg.field, line.args[at]] as const),
    ...spec.flags.map(({ name, path: [field = ""] }) => [field, line.options[attribute(name)]] as const),
  ]);
  return spec.fields
    .filter(({ refersTo }) => refersTo === "units")
    .map(({ name }) => given.get(name))
    .findLast(Boolean);
}
