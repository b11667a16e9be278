import { Argument, type Command, Option } from "commander";
import { addSharedOptions, createCommand, HelpShown, type Look, parseLine } from "./commander.ts";
import { connect } from "./connection.ts";
import type { Globals } from "./globals.ts";
import type { Terminal } from "./terminal.ts";
import { type Context, isOperation, type Leaf, type OwnFlag, type OwnLeaf } from "./tree.ts";

/** Parses the rest of the line for a command, and runs it. */
export async function runLeaf(
  leaf: Leaf,
  path: readonly string[],
  rest: readonly string[],
  terminal: Terminal,
): Promise<void> {
  try {
    if (isOperation(leaf)) await (await import("./operate.ts")).runOperation(leaf, path, rest, terminal);
    else await runOwn(leaf, path, rest, terminal);
  } catch (error) {
    if (!(error instanceof HelpShown)) throw error;
    await terminal.write(error.text);
  }
}

/** The context in which a command runs, as the global options on its line make it. */
export function contextOf(options: Record<string, unknown>, terminal: Terminal, args: Context["args"] = {}): Context {
  const globals = options as unknown as Globals;
  terminal.configure(globals);
  return {
    terminal,
    globals,
    args,
    flags: options,
    connect: (how) => connect(globals, terminal, how),
  };
}

async function runOwn(
  leaf: OwnLeaf,
  path: readonly string[],
  rest: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const { args, options } = parseLine(buildOwn(leaf, path, terminal), rest);
  const named = Object.fromEntries(
    (leaf.args ?? []).map(({ name }, at) => [name, args[at] as string | string[] | undefined]),
  );
  await leaf.run(contextOf(options, terminal, named));
}

/** The commander command of a command with work of its own. */
export function buildOwn(leaf: OwnLeaf, path: readonly string[], look: Look): Command {
  const command = createCommand(path, look, { examples: leaf.examples }).description(
    describe(leaf.summary, leaf.description),
  );
  for (const { name, optional, many, description } of leaf.args ?? []) {
    const shown = `${name}${many ? "..." : ""}`;
    command.addArgument(new Argument(optional ? `[${shown}]` : `<${shown}>`, description));
  }
  command.usage(usage((leaf.args ?? []).map(({ name, optional, many }) => ({ label: name, optional, many }))));
  for (const flag of leaf.flags ?? []) command.addOption(ownOption(flag));
  addSharedOptions(command, leaf.prints === true);
  return command;
}

export function ownOption({ flags, description, repeat }: OwnFlag): Option {
  const option = new Option(flags, description);
  return repeat ? option.argParser((value, before: string[] | undefined) => [...(before ?? []), value]) : option;
}

export const describe = (summary: string, description?: string): string =>
  [`${summary}.`, description].filter(Boolean).join("\n\n");

export function usage(
  args: readonly { label: string; optional?: true | undefined; many?: true | undefined }[],
): string {
  const shown = args.map(({ label, optional, many }) => {
    const name = `${label}${many ? "..." : ""}`;
    return optional ? `[${name}]` : `<${name}>`;
  });
  return [...shown, "[options]"].join(" ");
}
