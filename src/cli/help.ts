import { addSharedOptions, createCommand, HelpShown, helpOf, parseLine } from "./commander.ts";
import { root } from "./root.ts";
import type { Terminal } from "./terminal.ts";
import { type Entry, isGroup, summaryOf } from "./tree.ts";
import { version } from "./version.ts";

/** Shows what there is at a place of the tree that is not yet a command. */
export async function showHelp(
  path: readonly string[],
  entry: Entry | undefined,
  rest: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const command = createCommand(path, terminal).usage("<command> [options]");
  if (entry && isGroup(entry)) {
    command.description(`${entry.summary}.`);
    for (const [name, child] of Object.entries(entry.commands)) command.command(name).summary(`${summaryOf(child)}${isGroup(child) ? " …" : ""}`).helpGroup("Commands:");
  } else {
    command.description("Workplace communication service and its administrator's tool.");
    for (const [name, { summary, heading }] of Object.entries(root)) command.command(name).summary(summary).helpGroup(heading);
    command.option("-V, --version", "Show the version");
  }
  addSharedOptions(command, false);
  command.addHelpText("after", `\nSee ${command.name()} <command> --help for more on a command.`);
  try {
    const { options } = parseLine(command, rest);
    await terminal.write(options.version ? `${version}\n` : helpOf(command));
  } catch (error) {
    if (!(error instanceof HelpShown)) throw error;
    await terminal.write(error.text);
  }
}
