import { type CommandEntry, type Commands, isGroup, type Registry, summaryOf } from "../kit/command-spec.ts";
import { version } from "../session/version.ts";
import { globalOptions, versionOption } from "../terminal/global-options.ts";
import { type HelpSection, layOut, termOf } from "../terminal/help-layout.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { topicTitles } from "./topic-titles.ts";

/** The commit of the bundled sources. The build defines it; the sources themselves run without. */
declare const builtFromCommit: string | undefined;

export async function showHelp(
  registry: Registry,
  path: readonly string[],
  entry: CommandEntry | undefined,
  rest: readonly string[],
  terminal: Terminal,
): Promise<void> {
  if (rest.some((arg) => arg !== "--help" && arg !== "-h")) {
    const { createCommand, addSharedOptions, parseLine } = await import("../kit/commander-command.ts");
    const command = addSharedOptions(createCommand(path, terminal).usage("<command> [options]"), false);
    if (!entry) command.option(...versionOption);
    const { options } = await parseLine(
      command,
      rest.filter((arg) => arg !== "--help" && arg !== "-h"),
    );
    terminal.configure(options);
    if (options.version && !options.verbose) return terminal.write(`${version}\n`);
    if (options.version) return terminal.write(versionDetails());
  }
  await terminal.write(
    entry && isGroup(entry) ? groupHelp(path, entry.summary, entry.commands, terminal) : rootHelp(registry, terminal),
  );
}

/** Returns the versions of the program, Node and SQLite, a line each. */
function versionDetails(): string {
  const commit = typeof builtFromCommit === "undefined" ? "unknown" : builtFromCommit;
  const { node, sqlite } = process.versions;
  return `wcs ${version}\ncommit ${commit}\nNode ${node}\nSQLite ${sqlite}\n`;
}

function rootHelp(registry: Registry, terminal: Terminal): string {
  const headings = Map.groupBy(Object.entries(registry), ([, { heading }]) => heading);
  const sections: HelpSection[] = [...headings].map(([heading, entries]) => ({
    title: `${heading}:`,
    rows: entries.map(([name, { summary }]) => [name, summary]),
  }));
  sections.push({ title: "Help topics (wcs help <topic>):", rows: Object.entries(topicTitles) });
  sections.push({ title: "Options:", rows: [versionOption] });
  return page([], "Workplace communication service and its administrator's tool.", sections, terminal);
}

function groupHelp(path: readonly string[], summary: string, commands: Commands, terminal: Terminal): string {
  const rows = Object.entries(commands).map(
    ([name, child]) => [isGroup(child) ? `${name} …` : name, summaryOf(child)] as const,
  );
  return page(path, `${summary}.`, [{ title: "Commands:", rows }], terminal);
}

function page(
  path: readonly string[],
  description: string,
  sections: readonly HelpSection[],
  terminal: Terminal,
): string {
  const usage = `${["wcs", ...path].join(" ")} <command> [options]`;
  return layOut({ usage, description, sections, globals: globalSection }, terminal);
}

const globalSection: HelpSection = {
  title: "Global options:",
  rows: globalOptions.map(({ flags, description }) => [termOf(flags), description]),
};
