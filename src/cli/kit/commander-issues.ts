import type { Command, CommanderError, Option } from "commander";
import { pluralize } from "../../contract/count-text.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import { formats, outputOptions } from "../terminal/global-options.ts";
import { quoteIfNeeded } from "../terminal/shell-words.ts";
import type { LineIssues } from "./line-issues.ts";
import { wrongGuesses } from "./wrong-guesses.ts";

const surplusHint =
  "quote a text with spaces, and give other values by their flags, as in --name 'Sales' or --active=false";

interface ParsedWords {
  readonly command: Command;
  readonly error: CommanderError;
  readonly words: readonly string[];
  readonly usage: string;
}

/** Adds issues about all unknown options, else about surplus or missing arguments. Throws a `UsageError` for an option without its value. */
export function noteUnknownWords({ command, error, words, usage }: ParsedWords, issues: LineIssues): void {
  issues.isOpen = true;
  if (error.code === "commander.unknownOption") {
    const [first = "", ...others] = command.parseOptions([...words]).unknown;
    // Others may be the value of an unknown option, and so a secret.
    const names = [first, ...others.filter((word) => /^--[a-z][\w-]+(=|$)/.test(word))];
    for (const name of new Set(names.map((word) => word.replace(/=.*/s, ""))))
      issues.add(unknownOption(command, name, usage));
  } else if (error.code === "commander.missingArgument") {
    issues.add(new UsageError(missingArguments(command), { usage }));
  } else if (error.code === "commander.excessArguments") {
    const expected = pluralize(command.registeredArguments.length, "argument");
    // The words may be secrets, so the message does not repeat them.
    const message = `too many arguments. Expected ${expected} but got ${command.args.length}`;
    issues.add(new UsageError(message, { usage, hint: surplusHint }));
  } else throw new UsageError(error.message.slice("error: ".length), { usage });
}

function unknownOption(command: Command, name: string, usage: string): UsageError {
  const prints = command.options.some(({ long }) => long === "--query");
  const guess = wrongGuesses[`${command.name()} ${name}`] ?? (prints ? wrongGuesses[name] : undefined);
  const suggested = guess === undefined ? (secretFlag(command, name) ?? similarName(command, name)) : undefined;
  // Commander reports an option without a value as unknown when it is given one.
  if (suggested === name) return new UsageError(`${name} takes no value`, { usage });
  const hint = guess ?? (suggested ? `did you mean ${suggested}?` : wrongGuesses[command.name()]);
  return new UsageError(`unknown option '${name}'`, hint ? { hint } : { usage });
}

/** Adds an issue about a value of -o that is no format, unless -o is a path here. It may be the name of a file, which -o takes in other tools. */
export function noteWrongFormat(command: Command, usage: string, issues: LineIssues): void {
  if (!command.options.some(({ flags }) => flags === outputOptions[0].flags)) return;
  const given: string = command.getOptionValue("output");
  command.setOptionValue("output", undefined);
  const hasFile = command.registeredArguments.some((argument) => argument.name() === "file");
  const way = hasFile
    ? "give the file as the argument, without -o"
    : `write to the file with > ${quoteIfNeeded(given)}`;
  const hint =
    given === "tsv" ? "leave out -o: outside a terminal, rows are tab-separated" : /[./]/.test(given) ? way : undefined;
  issues.add(new UsageError(`--output must be one of ${formats.join(", ")}, not '${given}'`, { usage, hint }));
}

function missingArguments({ registeredArguments, args }: Command): string {
  const missing = registeredArguments.slice(args.length).filter(({ required }) => required);
  return `missing ${missing.map((argument) => `<${argument.name()}>`).join(", ")}`;
}

/** Adds issues about options that were given more than once: commander would silently use the last one. */
export function noteRepeated(
  given: ReadonlyMap<string, readonly Option[]>,
  command: Command,
  issues: LineIssues,
): void {
  const values = command.opts();
  for (const [attribute, options] of given) {
    const names = [...new Set(options.map(({ long, short }) => long ?? short ?? attribute))];
    const takesValue = options.some(({ required, optional }) => required || optional);
    if (Array.isArray(values[attribute]) || (names.length === 1 && !(takesValue && options.length > 1))) continue;
    const message =
      names.length > 1 ? `${names.join(" and ")} cannot be used together` : `${names[0]} can be given only once`;
    issues.add(new UsageError(message), names);
  }
}

/** Returns `--password-stdin` for `--password`, which does not exist: no flag has a secret as its value. */
function secretFlag({ options }: Command, name: string): string | undefined {
  return options.find(({ long }) => long === `${name}-stdin`)?.long;
}

/** Options of other tools, each after the one that replaces it here. */
const synonyms = [
  ["--yes", "--force", "--confirm"],
  ["--output", "--format"],
  ["--query", "--filter", "--where"],
  ["--fields", "--columns", "--properties", "--select"],
  ["--limit", "-L", "--max", "--top", "--per-page", "--page-size"],
  ["--all", "--paginate", "--page"],
  ["--below", "--recursive"],
  ["--follow", "--tail"],
  ["--triggers", "--events", "--event", "--trigger"],
  ["--dry-run", "--preview", "--whatif"],
  ["--verbose", "--debug"],
  ["--profile", "-R", "--context"],
  ["--url", "--host", "--hostname", "--server"],
  ["--file", "--attach", "--attachment"],
];

/**
 * Returns the option that replaces one of other tools, else the most similar one that help shows, else the only one that ends
 * with the name, as `--address-city` for `--city`.
 */
function similarName(command: Command, name: string): string | undefined {
  const shown = command.createHelp().visibleOptions(command);
  const [usual] = synonyms.find((all) => all.includes(name)) ?? [];
  if (shown.some(({ long }) => long === usual)) return usual;
  if (!name.startsWith("--")) return name.length > 2 ? similarName(command, `-${name}`) : undefined;
  const similar = suggestName(
    name.slice(2),
    shown.flatMap(({ long }) => long?.slice(2) ?? []),
  );
  if (similar !== undefined) return `--${similar}`;
  const ending = command.options.filter(({ long, negate }) => !negate && long?.endsWith(name.slice(1)));
  return name.length >= 5 && ending.length === 1 ? ending[0]?.long : undefined;
}
