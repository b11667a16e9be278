import { isGroup, type Program } from "./kit/command-spec.ts";
import { expandAlias, findCommand } from "./kit/router.ts";
import { registry } from "./registry.ts";
import type { Config } from "./session/config.ts";
import type { Connection } from "./session/connection.ts";
import type { Terminal } from "./terminal/terminal.ts";

const program: Program = { registry, run: runLine };

/** Runs the command that a line names. For a group, or an empty line, shows help. */
export async function runLine(args: readonly string[], terminal: Terminal, connection?: Connection): Promise<void> {
  if (args[0] === "__complete") {
    return (await import("./commands/completion/complete-values.ts")).complete(args.slice(1), { program, terminal });
  }
  const expanded = await expandAlias(registry, args, () => aliasesOf(terminal));
  const { path, entry, rest } = await findCommand(registry, expanded);
  if (entry && !isGroup(entry)) {
    const connect = connection && (async () => connection);
    return (await import("./kit/run-command.ts")).runLeaf(entry, path, rest, { program, terminal, connect });
  }
  await (await import("./help/show-help.ts")).showHelp(registry, path, entry, rest, terminal);
}

/** Returns the user's aliases; none when the configuration is damaged, since the line may name no alias at all. */
async function aliasesOf({ env }: Terminal): Promise<NonNullable<Config["aliases"]>> {
  const { readConfig } = await import("./session/config.ts");
  try {
    return readConfig(env).aliases ?? {};
  } catch {
    return {};
  }
}
