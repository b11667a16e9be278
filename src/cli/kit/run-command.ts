import { buildOwn } from "./build-command.ts";
import { type CommandEnvironment, createContext } from "./command-context.ts";
import { type CommandSpec, type CustomCommand, isOperation } from "./command-spec.ts";
import { HelpShown, parseLine } from "./commander-command.ts";

/** Parses the remaining arguments and runs the command. */
export async function runLeaf(
  leaf: CommandSpec,
  path: readonly string[],
  rest: readonly string[],
  surroundings: CommandEnvironment,
): Promise<void> {
  try {
    if (isOperation(leaf)) await (await import("./run-operation.ts")).runOperation(leaf, path, rest, surroundings);
    else await runOwn(leaf, path, rest, surroundings);
  } catch (error) {
    if (!(error instanceof HelpShown)) throw error;
    await surroundings.terminal.write(error.text);
  }
}

async function runOwn(
  leaf: CustomCommand,
  path: readonly string[],
  rest: readonly string[],
  surroundings: CommandEnvironment,
): Promise<void> {
  const { args, options } = parseLine(buildOwn(leaf, path, surroundings.terminal), rest);
  const named = Object.fromEntries(
    (leaf.args ?? []).map(({ name }, at) => [name, args[at] as string | string[] | undefined]),
  );
  const context = createContext(options, surroundings, named);
  if (!context.flags.watch || surroundings.isRepeated) return leaf.run(context);
  const { watch } = await import("./watch-command.ts");
  const run = (again: CommandEnvironment) => runOwn(leaf, path, rest, again);
  await watch({ context, words: [...path, ...rest], anonymous: false, run });
}
