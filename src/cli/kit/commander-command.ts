import { Command, CommanderError, Option } from "commander";
import { UsageError } from "../errors/cli-errors.ts";
import { refusePassword } from "../session/database-url.ts";
import { globalOptions, outputOptions } from "../terminal/global-options.ts";
import { type HelpPage, type HelpSection, layOut, termOf } from "../terminal/help-layout.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { LineIssues } from "./line-issues.ts";

/** Width and colours of a help page. */
export type HelpOptions = Pick<Terminal, "width" | "paint">;

/** Thrown when the line asks for help; `text` is the rendered page. */
export class HelpShown extends Error {
  readonly text: string;
  constructor(text: string) {
    super("help");
    this.text = text;
  }
}

/** Parts of a help page that commander does not know. */
export interface Beside {
  readonly examples?: readonly string[] | undefined;
  readonly sections?: readonly HelpSection[];
}

/** Creates a commander command that throws errors and prints nothing. */
export function createCommand(path: readonly string[], help: HelpOptions, beside: Beside = {}): Command {
  return new Command(["wcs", ...path].join(" "))
    .exitOverride()
    .helpOption(false)
    .helpCommand(false)
    .configureOutput({ writeErr: () => {} })
    .configureHelp({
      formatHelp: (command) => layOut(helpPageOf(command, beside), Math.min(help.width, 100), help.paint),
    });
}

/** Returns the contents of a command's help. */
export function helpPageOf(command: Command, { examples, sections: more = [] }: Beside): HelpPage {
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
export function addSharedOptions(command: Command, prints: boolean): Command {
  for (const { flags, description, choices } of outputOptions) {
    // Commands that use the letter for another flag do not print data.
    if (command.options.some(({ short }) => short && flags.startsWith(short))) continue;
    const option = new Option(flags, description).helpGroup("Output options:").hideHelp(!prints);
    command.addOption(choices ? option.choices(choices) : option);
  }
  for (const { flags, description } of globalOptions) {
    command.addOption(new Option(flags, description).helpGroup("Global options:"));
  }
  return command;
}

/** Parses arguments and options; options are keyed by attribute name. Throws a `UsageError` that names all issues. */
export function parseLine(command: Command, rest: readonly string[]) {
  const issues = new LineIssues();
  const line = parseWithIssues(command, rest, issues);
  issues.throwAll();
  return line;
}

/** Parses arguments and options, and adds what is wrong with them to the issues. */
export function parseWithIssues(command: Command, rest: readonly string[], issues: LineIssues) {
  if (asksForHelp(rest)) throw new HelpShown(command.helpInformation());
  command.action(() => {});
  let words: readonly string[] | undefined = withoutTruth(command, rest);
  // Commander stops at the first issue, so the line is parsed again without the words that it is about.
  while (words !== undefined) words = parseOnce(command, words, issues);
  const options = command.opts();
  refusePassword(options.db);
  return { args: command.processedArgs, options };
}

/** Parses words. After an issue, returns the words that are left to parse; undefined when there are no more issues to find. */
function parseOnce(command: Command, words: readonly string[], issues: LineIssues): readonly string[] | undefined {
  try {
    command.parse([...words], { from: "user" });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const [said = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
    const word = /'(.+)'/s.exec(said)?.[1] ?? "";
    // The value may be a secret, so the message does not repeat it.
    const message = said.replace(/^(unknown option '--[^=]+)=.*'$/, "$1'");
    switch (error.code) {
      case "commander.unknownOption": {
        const meant = /Did you mean (.+)\?/.exec(suggestion ?? "")?.[1] ?? longerName(command, message);
        const more = meant ? { hint: `did you mean ${meant}?` } : { usage: usageOf(command) };
        issues.add(new UsageError(message, more), meant?.match(/--[\w-]+/g) ?? []);
        return withoutUnknown(command, words, { word, meant, issues });
      }
      case "commander.optionMissingArgument":
        issues.add(new UsageError(message, { usage: usageOf(command) }), word.match(/--[\w-]+/g) ?? []);
        return words.slice(0, -1);
      case "commander.invalidArgument":
        issues.add(new UsageError(message, { usage: usageOf(command) }));
        return withoutOption(words, word.split(/[ ,]+/));
      case "commander.missingArgument":
        issues.add(new UsageError(missingArguments(command), { usage: usageOf(command) }));
        return undefined;
      default:
        if (!issues.hasUncertainArguments) issues.add(new UsageError(message, { usage: usageOf(command) }));
        return undefined;
    }
  }
}

interface UnknownOption {
  readonly word: string;
  readonly meant: string | undefined;
  readonly issues: LineIssues;
}

/** Removes an unknown option, with its value if the option that was meant takes one. */
function withoutUnknown(
  { options }: Command,
  words: readonly string[],
  { word, meant, issues }: UnknownOption,
): readonly string[] | undefined {
  const at = words.indexOf(word);
  if (at < 0) return undefined;
  const next = words[at + 1];
  const mayHaveValue = !word.includes("=") && next !== undefined && !next.startsWith("-");
  const option = options.find(({ long }) => long === meant);
  if (option === undefined && mayHaveValue) issues.hasUncertainArguments = true;
  return words.toSpliced(at, option?.required && mayHaveValue ? 2 : 1);
}

/** Removes the last occurrence of an option with its value. */
function withoutOption(words: readonly string[], names: readonly string[]): readonly string[] | undefined {
  const [short = "", long = short] = names.filter((name) => name.startsWith("-"));
  const at = words.findLastIndex((word) => word.startsWith(short) || word === long || word.startsWith(`${long}=`));
  if (at < 0) return undefined;
  return words.toSpliced(at, words[at] === short || words[at] === long ? 2 : 1);
}

function missingArguments({ registeredArguments, args }: Command): string {
  const missing = registeredArguments.slice(args.length).filter(({ required }) => required);
  return `missing ${missing.map((argument) => `<${argument.name()}>`).join(", ")}`;
}

/** Replaces `--important=false` by `--no-important`. */
function withoutTruth({ options }: Command, rest: readonly string[]): string[] {
  const end = rest.indexOf("--");
  return rest.map((arg, at) => {
    const [, name, value] = /^--([\w-]+)=(true|false)$/.exec(arg) ?? [];
    if (name === undefined || (end >= 0 && at > end)) return arg;
    if (!options.some(({ long, negate }) => negate && long === `--no-${name}`)) return arg;
    return value === "true" ? `--${name}` : `--no-${name}`;
  });
}

/** Returns the only option whose name ends with the typed word, as `--city` for `--address-city`. */
function longerName({ options }: Command, message: string): string | undefined {
  const [, typed] = /unknown option '--([\w-]{3,})/.exec(message) ?? [];
  const ending = options.filter(({ long, negate }) => !negate && typed && long?.endsWith(`-${typed}`));
  return ending.length === 1 ? ending[0]?.long : undefined;
}

const usageOf = (command: Command): string => `${command.name()} ${command.usage()}`.trim();

function asksForHelp(rest: readonly string[]): boolean {
  const end = rest.indexOf("--");
  return (end < 0 ? rest : rest.slice(0, end)).some((arg) => arg === "--help" || arg === "-h");
}
