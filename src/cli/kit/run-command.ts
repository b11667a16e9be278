import { UsageError } from "../errors/cli-errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { buildCustomCommand, customFlags } from "./build-command.ts";
import { type CommandEnvironment, withContext } from "./command-context.ts";
import { type CommandSpec, type Context, type CustomCommand, isOperation } from "./command-spec.ts";
import { HelpShown, parseWithIssues } from "./commander-command.ts";
import { LineIssues } from "./line-issues.ts";
import type { ParsedLine } from "./read-input.ts";

export async function runLeaf(
  leaf: CommandSpec,
  path: readonly string[],
  rest: readonly string[],
  environment: CommandEnvironment,
): Promise<void> {
  const { terminal } = environment;
  const { command, carryOut } = isOperation(leaf)
    ? (await import("./run-operation.ts")).prepareOperation(leaf, path, rest, terminal)
    : prepareCustomCommand(leaf, path, rest, terminal);
  const issues = new LineIssues();
  try {
    const line = await parseWithIssues(command, rest, issues);
    const { watch: isWatching, interval } = line.options;
    if (interval !== undefined && !isWatching && command.options.some(({ long }) => long === "--watch"))
      issues.add(new UsageError("--interval is the pause of --watch: pass both"), ["--interval"]);
    await withContext(line.options, environment, async (context) => {
      if (!context.flags.watch || environment.isRepeated || !issues.isEmpty) return carryOut(line, context, issues);
      const { watch } = await import("./watch-command.ts");
      await watch(context, [...path, ...rest], (again) => runLeaf(leaf, path, rest, again));
    });
  } catch (error) {
    if (!(error instanceof HelpShown)) throw error;
    await terminal.write(error.message);
  }
}

function prepareCustomCommand(
  leaf: CustomCommand,
  path: readonly string[],
  rest: readonly string[],
  terminal: Terminal,
) {
  return {
    command: buildCustomCommand(leaf, path, terminal),
    async carryOut({ args }: ParsedLine, context: Context, issues: LineIssues): Promise<void> {
      if (rest.length > 0) await (await import("./check-flags.ts")).checkFlags(customFlags(leaf), context, issues);
      issues.throwAll();
      const named = (leaf.args ?? []).map(({ name }, at) => [name, args[at] as string | string[] | undefined] as const);
      await leaf.run({ ...context, args: Object.fromEntries(named) });
    },
  };
}
