import { type Command, CommanderError } from "commander";
import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import { formats, outputOptions } from "../terminal/global-options.ts";
import { quoteIfNeeded } from "../terminal/shell-words.ts";
import type { LineIssues } from "./line-issues.ts";
import { wrongGuesses } from "./wrong-guesses.ts";

const surplusHint =
  "quote a text with spaces, and give other values by their flags, as in --name 'Sales' or --active=false";

/** Adds all issues that commander finds in words. It stops at each, so the words without it are parsed again. */
export function noteIssues(command: Command, words: readonly string[], usage: string, issues: LineIssues): void {
  let left: readonly string[] | undefined = words;
  while (left !== undefined) left = parseOnce(command, left, usage, issues);
}

/** Parses words. After an issue, returns the words that are left to parse; undefined when there are no more issues to find. */
function parseOnce(
  command: Command,
  words: readonly string[],
  usage: string,
  issues: LineIssues,
): readonly string[] | undefined {
  try {
    command.parse([...words], { from: "user" });
    return undefined;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const [said = ""] = error.message.replace(/^error: /, "").split("\n");
    const word = /'(.+)'/s.exec(said)?.[1] ?? "";
    // The value may be a secret, so the message does not repeat it.
    const message = said.replace(/^(unknown option '--[^=]+)=.*'$/, "$1'").replace(/\.$/, "");
    switch (error.code) {
      case "commander.unknownOption": {
        const meant = noteUnknownOption(command, word.split("=")[0] ?? "", new UsageError(message, { usage }), issues);
        return withoutUnknown(command, words, { word, meant, issues });
      }
      case "commander.optionMissingArgument":
        issues.add(new UsageError(message, { usage }), word.match(/--[\w-]+/g) ?? []);
        return words.slice(0, -1);
      case "commander.missingArgument":
        issues.add(new UsageError(missingArguments(command), { usage }));
        return undefined;
      default:
        // Commander passes on no arguments when there are too many, so none counts as missing.
        issues.skip(command.registeredArguments.map((argument) => `<${argument.name()}>`));
        if (!issues.hasUncertainArguments) issues.add(new UsageError(message, { usage, hint: surplusHint }));
        return undefined;
    }
  }
}

/** Adds the issue with an unknown option. Returns the option that was meant, if any. */
function noteUnknownOption(
  command: Command,
  name: string,
  { message, usage }: UsageError,
  issues: LineIssues,
): string | undefined {
  const prints = command.options.some(({ long }) => long === "--query");
  const guess = wrongGuesses[`${command.name()} ${name}`] ?? (prints ? wrongGuesses[name] : undefined);
  const secret = secretFlag(command, name);
  const meant = (guess ?? secret) ? undefined : similarName(command, name);
  const suggested = meant ?? secret;
  const hint = guess ?? (suggested ? `did you mean ${suggested}?` : wrongGuesses[command.name()]);
  // Commander reports an option without a value as unknown when it is given one.
  const error =
    suggested === name
      ? new UsageError(`${name} takes no value`, { usage })
      : new UsageError(message, hint ? { hint } : { usage });
  issues.add(error, suggested === undefined ? [] : [suggested]);
  return meant;
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
  if (!option?.required && mayHaveValue) issues.hasUncertainArguments = true;
  return words.toSpliced(at, option?.required && mayHaveValue ? 2 : 1);
}

function missingArguments({ registeredArguments, args }: Command): string {
  const missing = registeredArguments.slice(args.length).filter(({ required }) => required);
  return `missing ${missing.map((argument) => `<${argument.name()}>`).join(", ")}`;
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
  if (!name.startsWith("--")) return undefined;
  const similar = suggestName(
    name.slice(2),
    shown.flatMap(({ long }) => long?.slice(2) ?? []),
  );
  if (similar !== undefined) return `--${similar}`;
  const ending = command.options.filter(({ long, negate }) => !negate && long?.endsWith(name.slice(1)));
  return name.length >= 5 && ending.length === 1 ? ending[0]?.long : undefined;
}
