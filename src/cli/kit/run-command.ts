import { buildOwn, watchFlags } from "./build-command.ts";
import { type CommandEnvironment, withContext } from "./command-context.ts";
import { type CommandSpec, type Context, type CustomCommand, isOperation } from "./command-spec.ts";
import { HelpShown, parseWithIssues } from "./commander-command.ts";
import { LineIssues } from "./line-issues.ts";

/** Parses the remaining arguments and runs the command. */
export async function runLeaf(
  leaf: CommandSpec,
  path: readonly string[],
  rest: readonly string[],
  environment: CommandEnvironment,
): Promise<void> {
  try {
    if (isOperation(leaf)) await (await import("./run-operation.ts")).runOperation(leaf, path, rest, environment);
    else await runOwn(leaf, path, rest, environment);
  } catch (error) {
    if (!(error instanceof HelpShown)) throw error;
    await environment.terminal.write(error.text);
  }
}

async function runOwn(
  leaf: CustomCommand,
  path: readonly string[],
  rest: readonly string[],
  environment: CommandEnvironment,
): Promise<void> {
  const issues = new LineIssues();
  const { args, options } = await parseWithIssues(buildOwn(leaf, path, environment.terminal), rest, issues);
  const named = (leaf.args ?? []).map(({ name }, at) => [name, args[at] as string | string[] | undefined] as const);
  await withContext(options, environment, async (own) => {
    const context: Context = { ...own, args: Object.fromEntries(named) };
    const flags = [...(leaf.flags ?? []), ...(leaf.watchable ? watchFlags : [])];
    if (rest.length > 0) {
      const { checkFlags, checkGlobals } = await import("./check-flags.ts");
      await checkGlobals(context, issues);
      await checkFlags(flags, context, issues);
    }
    issues.throwAll();
    if (!context.flags.watch || environment.isRepeated) return leaf.run(context);
    const { watch } = await import("./watch-command.ts");
    const run = (again: CommandEnvironment) => runOwn(leaf, path, rest, again);
    await watch(context, [...path, ...rest], run);
  });
}
