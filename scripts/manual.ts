import { lowerFirst } from "../src/cli/errors/cli-errors.ts";
import { exitCodes, topics } from "../src/cli/help/help-topics.ts";
import { topicTitles } from "../src/cli/help/topic-titles.ts";
import { buildCustomCommand } from "../src/cli/kit/build-command.ts";
import {
  type CommandEntry,
  type CommandSpec,
  isGroup,
  isOperation,
  type Registry,
  summaryOf,
} from "../src/cli/kit/command-spec.ts";
import { helpPageOf } from "../src/cli/kit/commander-command.ts";
import { familiesOf } from "../src/cli/kit/field-flags.ts";
import { buildOperation, createInputSpec } from "../src/cli/kit/input-spec.ts";
import { version } from "../src/cli/session/version.ts";
import { globalOptions, outputOptions, versionOption } from "../src/cli/terminal/global-options.ts";
import { breakExample, type HelpPage, type HelpSection } from "../src/cli/terminal/help-layout.ts";
import { noPaint } from "../src/cli/terminal/terminal.ts";
import { lastCommit } from "./last-commit.ts";
import { proseOf } from "./manual-topics.ts";
import { commandWords, definitions, escapeRoff, literal, paragraph, section, subsection } from "./roff.ts";

interface Leaf {
  readonly path: readonly string[];
  readonly spec: CommandSpec;
}

/** Returns the manual pages by file name: `wcs.1`, and one for each top-level command or group. */
export async function manualPages(registry: Registry): Promise<Map<string, string>> {
  const pages = new Map([["wcs.1", mainPage(registry)]]);
  for (const [name, { summary, load }] of Object.entries(registry))
    pages.set(`wcs-${name}.1`, commandPage(name, summary, await load()));
  return pages;
}

function mainPage(registry: Registry): string {
  const headings = Map.groupBy(Object.entries(registry), ([, { heading }]) => heading);
  const commands = [...headings].map(([heading, entries]) =>
    subsection(heading, definitions(entries.map(([name, { summary }]) => [reference(name), summary]))),
  );
  const sectionTitles = { environment: "Environment", "exit-codes": "Exit status", configuration: "Files" };
  const texts = Object.entries({ ...topicTitles, ...sectionTitles }).map(([name, title]) =>
    section(title.toUpperCase(), proseOf((topics[name] ?? "").replace(/^.*\n/, ""))),
  );
  return page("wcs", "workplace communication service and its administrator's tool", [
    section("SYNOPSIS", commandWords("wcs <command> [options]")),
    section(
      "DESCRIPTION",
      escapeRoff(
        "Manages users, units, posts, events, conversations and webhooks in a SQLite file, in a PostgreSQL database, or in a running instance over HTTP, with the same commands. wcs serve runs such an instance.",
      ),
      paragraph(escapeRoff("Each command has a page of its own, and wcs <command> --help shows the same.")),
    ),
    section("COMMANDS", ...commands),
    section("OPTIONS", optionList([versionOption])),
    ...sharedOptions(),
    ...texts,
    section("EXAMPLES", exampleList(examples)),
  ]);
}

const examples = [
  "wcs init --admin-email ada@example.com --admin-name 'Ada Lovelace'",
  "wcs units create --name Sales --parent 1 --reference SALES",
  "wcs users list --all --json",
  "wcs serve --port 8420",
];

function commandPage(name: string, summary: string, entry: CommandEntry): string {
  const leaves = leavesOf([name], entry);
  const helps = leaves.map(({ path, spec }) => ({ path, spec, help: helpOf(path, spec) }));
  const title = `wcs-${name}`;
  const shared = [
    ...sharedOptions(helps.some(({ help }) => help.sections.some(({ title }) => title === "Output options:"))),
    section("EXIT STATUS", definitions(exitCodes.map(([code, meaning]) => [String(code), meaning]))),
    section("ENVIRONMENT", `The variables that wcs reads are listed in ${reference()}.`),
    section("SEE ALSO", reference()),
  ];
  const [only] = helps;
  if (only && !isGroup(entry)) {
    return page(title, lowerFirst(summary), [
      section("SYNOPSIS", commandWords(only.help.usage)),
      section("DESCRIPTION", proseOf(only.help.description)),
      ...ownSections(only.help).map((own) => section(heading(own).toUpperCase(), optionList(own.rows))),
      ...examplesOf(only.help).map((text) => section("EXAMPLES", text)),
      ...shared,
    ]);
  }
  return page(title, lowerFirst(summary), [
    section("SYNOPSIS", commandWords(`wcs ${name} <command> [options]`)),
    section(
      "DESCRIPTION",
      definitions(leaves.map(({ path, spec }) => [commandWords(path.join(" ")), summaryOf(spec)])),
    ),
    section("COMMANDS", ...helps.map(({ path, help }) => commandPart(path, help))),
    ...shared,
  ]);
}

function commandPart(path: readonly string[], help: HelpPage): string {
  return subsection(
    path.join(" "),
    commandWords(help.usage),
    proseOf(help.description),
    ...ownSections(help).map((own) => `${paragraph(`\\fI${escapeRoff(heading(own))}\\fR`)}\n${optionList(own.rows)}`),
    ...examplesOf(help).map((text) => `${paragraph("\\fIExamples\\fR")}\n${text}`),
  );
}

/** Returns the parts of a help page that no other command has. */
const ownSections = ({ sections }: HelpPage): HelpSection[] =>
  sections.filter(({ title, rows }) => rows.length > 0 && title !== "Output options:");

const examplesOf = ({ examples: lines }: HelpPage): string[] => (lines?.length ? [exampleList(lines)] : []);

/** Breaks examples for a terminal of 80 columns. */
const exampleList = (lines: readonly string[]): string =>
  literal(lines.map((line) => breakExample(line, 71).replace(/^ {2}/gm, "")).join("\n"));

const heading = ({ title }: HelpSection) => title.replace(/:$/, "");

function sharedOptions(prints = true): string[] {
  const rows = (options: typeof globalOptions) =>
    optionList(options.map(({ flags, description }) => [flags, description] as const));
  return [
    ...(prints ? [section("OUTPUT OPTIONS", rows(outputOptions))] : []),
    section("GLOBAL OPTIONS", rows(globalOptions)),
  ];
}

const optionList = (rows: HelpSection["rows"]): string =>
  definitions(rows.map(([term, meaning]) => [commandWords(term.trim()), meaning]));

/** Returns the commands below an entry, with their paths. */
export function leavesOf(path: readonly string[], entry: CommandEntry): Leaf[] {
  if (!isGroup(entry)) return [{ path, spec: entry }];
  return Object.entries(entry.commands).flatMap(([name, child]) => leavesOf([...path, name], child));
}

function helpOf(path: readonly string[], spec: CommandSpec): HelpPage {
  const look = { width: 80, paint: noPaint };
  if (!isOperation(spec)) return helpPageOf(buildCustomCommand(spec, path, look), spec);
  const input = createInputSpec(spec);
  const command = buildOperation(spec, path, look, input);
  return helpPageOf(command, { examples: spec.examples, sections: familiesOf(input.flags) });
}

function page(name: string, summary: string, sections: readonly string[]): string {
  const title = escapeRoff(name.toUpperCase());
  const header = `.TH ${title} 1 ${lastCommit().day} "wcs ${version}" "wcs manual"`;
  const nameLine = section("NAME", `${escapeRoff(name)} \\- ${escapeRoff(summary)}`);
  return `${[header, ".nh", ".ad l", nameLine, ...sections].join("\n")}\n`;
}

/** Names the page of a command, or the main page. */
const reference = (command?: string) => `\\fBwcs${command ? `\\-${escapeRoff(command)}` : ""}\\fR(1)`;
