import { Command, CommanderError, Option } from "commander";
import { UsageError } from "../errors/cli-errors.ts";
import { refusePassword } from "../session/database-url.ts";
import { formats, globalOptions, outputOptions } from "../terminal/global-options.ts";
import { type HelpPage, type HelpSection, layOut, termOf } from "../terminal/help-layout.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { LineIssues } from "./line-issues.ts";

export type HelpOptions = Pick<Terminal, "width" | "paint">;

/** Thrown when the line asks for help. The message is the rendered page. */
export class HelpShown extends Error {}

/** Parts of a help page that commander does not know. */
interface HelpExtras {
  readonly examples?: readonly string[];
  readonly sections?: readonly HelpSection[];
}

/** Creates a commander command that throws errors and prints nothing. */
export function createCommand(path: readonly string[], help: HelpOptions, extras: HelpExtras = {}): Command {
  return new Command(["wcs", ...path].join(" "))
    .exitOverride()
    .helpOption(false)
    .helpCommand(false)
    .configureOutput({ writeErr: () => {} })
    .configureHelp({ formatHelp: (command) => layOut(helpPageOf(command, extras), help) });
}

export function helpPageOf(command: Command, { examples, sections: more = [] }: HelpExtras): HelpPage {
  const visible = command.createHelp().visibleOptions(command);
  const names = new Set(visible.filter(({ required }) => !required).map(({ long }) => long));
  const groups = Map.groupBy(visible, ({ helpGroupHeading }) => helpGroupHeading ?? "Options:");
  const sections = [...groups].map(([title, options]) => ({
    title,
    rows: options.flatMap(({ flags, long, negate, description }) => {
      if (negate && names.has(long?.replace("--no-", "--"))) return [];
      const both = names.has(long) && names.has(long?.replace("--", "--no-"));
      return [[termOf(both ? flags.replace("--", "--[no-]") : flags), description] as const];
    }),
  }));
  const beforeGlobals = sections.slice(0, -1);
  const described = command.registeredArguments.filter(({ description }) => description);
  return {
    usage: usageOf(command),
    description: command.description(),
    sections: [
      { title: "Arguments:", rows: described.map((argument) => [argument.name(), argument.description] as const) },
      ...beforeGlobals.slice(0, 1),
      ...more,
      ...beforeGlobals.slice(1),
    ],
    examples,
    // Global options are added last.
    globals: sections.at(-1)!,
  };
}

/** Adds the global options and the output options. Help shows the output options only when the command prints data. */
export function addSharedOptions(command: Command, prints: boolean, without?: RegExp): Command {
  for (const { flags, description } of outputOptions) {
    if (without?.test(flags)) continue;
    // Commands that use the letter for another flag do not print data.
    if (command.options.some(({ short }) => short && flags.startsWith(short))) continue;
    command.addOption(new Option(flags, description).helpGroup("Output options:").hideHelp(!prints));
  }
  for (const { flags, description } of globalOptions) {
    if (without?.test(flags)) continue;
    command.addOption(new Option(flags, description).helpGroup("Global options:"));
  }
  return command;
}

/** Parses arguments and options; options are keyed by attribute name. Throws a `UsageError` that names all issues. */
export async function parseLine(command: Command, rest: readonly string[]) {
  const issues = new LineIssues();
  const line = await parseWithIssues(command, rest, issues);
  issues.throwAll();
  return line;
}

/** Loaded only for lines with issues. */
const noting = () => import("./commander-issues.ts");

const neverEmpty = { db: "--db", url: "--url", profile: "--profile", as: "--as", caFile: "--ca-file" };

/**
 * Parses arguments and options, and adds issues about them. With a word that belongs to no argument or option, there are no
 * arguments. Throws a `UsageError` for an option without its value.
 */
export async function parseWithIssues(command: Command, rest: readonly string[], issues: LineIssues) {
  if (asksForHelp(rest)) throw new HelpShown(command.helpInformation());
  command.action(() => {});
  const given = recordGiven(command);
  const words = replaceBooleanValues(command, rest);
  let refused: unknown;
  try {
    command.parse(words, { from: "user" });
  } catch (error) {
    refused = error;
  }
  if (given.values().some(({ length }) => length > 1)) (await noting()).noteRepeated(given, command, issues);
  if (refused instanceof CommanderError)
    (await noting()).noteUnknownWords({ command, error: refused, words, usage: usageOf(command) }, issues);
  else if (refused !== undefined) throw refused;
  const options = command.opts();
  if (!formats.includes(options.output ?? "json")) (await noting()).noteWrongFormat(command, usageOf(command), issues);
  for (const [name, flag] of Object.entries(neverEmpty))
    if (options[name] === "") issues.add(new UsageError(`${flag} must not be empty`), [flag]);
  await issues.gather("--db", () => refusePassword(options.db));
  return { args: issues.isOpen ? [] : command.processedArgs, options };
}

/** Collects the options of a line, in order, by the attribute that they set. */
function recordGiven(command: Command): ReadonlyMap<string, readonly Option[]> {
  const given = new Map<string, Option[]>();
  for (const option of command.options) {
    const attribute = option.attributeName();
    command.on(`option:${option.name()}`, () => given.set(attribute, [...(given.get(attribute) ?? []), option]));
  }
  return given;
}

/** Replaces `--important=true` by `--important`, and `--important=false` by `--no-important`. */
function replaceBooleanValues({ options }: Command, rest: readonly string[]): string[] {
  const end = rest.indexOf("--");
  return rest.map((arg, at) => {
    const [, name, value] = /^--([\w-]+)=(true|false)$/.exec(arg) ?? [];
    if (name === undefined || (end >= 0 && at > end)) return arg;
    if (!options.some(({ long, negate }) => negate && long === `--no-${name}`)) return arg;
    return value === "true" ? `--${name}` : `--no-${name}`;
  });
}

const usageOf = (command: Command): string => `${command.name()} ${command.usage()}`.trim();

function asksForHelp(rest: readonly string[]): boolean {
  const end = rest.indexOf("--");
  return (end < 0 ? rest : rest.slice(0, end)).some((arg) => arg === "--help" || arg === "-h");
}
