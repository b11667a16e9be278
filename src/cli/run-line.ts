import { isGroup, type Program } from "./kit/command-spec.ts";
import { findCommand } from "./kit/router.ts";
import { registry } from "./registry.ts";
import type { Terminal } from "./terminal/terminal.ts";

const program: Program = { registry, run: runLine };

/** Runs the command that a line names. For a group, or an empty line, shows help. */
export async function runLine(args: readonly string[], terminal: Terminal): Promise<void> {
  if (args[0] === "__complete") {
    return (await import("./commands/completion/complete-values.ts")).complete(args.slice(1), terminal);
  }
  const { path, entry, rest } = await findCommand(registry, args);
  if (entry && !isGroup(entry)) {
    return (await import("./kit/run-command.ts")).runLeaf(entry, path, rest, { program, terminal });
  }
  await (await import("./help/show-help.ts")).showHelp(registry, path, entry, rest, terminal);
}
