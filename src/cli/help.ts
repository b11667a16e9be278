import { globalOptions } from "./globals.ts";
import { layOut, type Section, termOf } from "./help-format.ts";
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
  if (rest.some((arg) => arg !== "--help" && arg !== "-h")) {
    const { createCommand, addSharedOptions, parseLine } = await import("./commander.ts");
    const command = addSharedOptions(createCommand(path, terminal).usage("<command> [options]"), false);
    if (!entry) command.option("-V, --version");
    const { options } = parseLine(
      command,
      rest.filter((arg) => arg !== "--help" && arg !== "-h"),
    );
    terminal.configure(options);
    if (options.version) return terminal.write(`${version}\n`);
  }
  await terminal.write(
    entry && isGroup(entry) ? groupHelp(path, entry.summary, entry.commands, terminal) : rootHelp(terminal),
  );
}

function rootHelp(terminal: Terminal): string {
  const headings = Map.groupBy(Object.entries(root), ([, { heading }]) => heading);
  const sections: Section[] = [...headings].map(([title, entries]) => ({
    title,
    rows: entries.map(([name, { summary }]) => [name, summary]),
  }));
  sections.push({ title: "Options:", rows: [["-V, --version", "Show the version"]] });
  return page([], "Workplace communication service and its administrator's tool.", sections, terminal);
}

function groupHelp(
  path: readonly string[],
  summary: string,
  commands: Readonly<Record<string, Entry>>,
  terminal: Terminal,
): string {
  const rows = Object.entries(commands).map(
    ([name, child]) => [isGroup(child) ? `${name} …` : name, summaryOf(child)] as const,
  );
  return page(path, `${summary}.`, [{ title: "Commands:", rows }], terminal);
}

function page(path: readonly string[], description: string, sections: readonly Section[], terminal: Terminal): string {
  const usage = `${["wcs", ...path].join(" ")} <command> [options]`;
  return layOut(
    { usage, description, sections, globals: globalSection },
    Math.min(terminal.width, 100),
    terminal.paint,
  );
}

const globalSection: Section = {
  title: "Global options:",
  rows: globalOptions.map(({ flags, description }) => [termOf(flags), description]),
};
