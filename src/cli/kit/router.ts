import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import { valuedGlobals } from "../terminal/global-options.ts";
import { type CommandEntry, isGroup, type Registry } from "./command-spec.ts";

/** The entry that a line names, the words that name it, and the remaining arguments. */
export interface Found {
  readonly path: readonly string[];
  /** Undefined for the program itself. */
  readonly entry: CommandEntry | undefined;
  readonly rest: readonly string[];
}

/** Finds the command or group that a line names. Loads no other entries. */
export async function findCommand(registry: Registry, args: readonly string[]): Promise<Found> {
  const path: string[] = [];
  const rest = [...args];
  let entry: CommandEntry | undefined;
  for (const { word, at } of words(args)) {
    const commands = entry && isGroup(entry) ? entry.commands : undefined;
    const names = Object.keys(commands ?? registry);
    if (!names.includes(word)) throw unknownCommand(path, word, names);
    rest.splice(at - path.length, 1);
    path.push(word);
    entry = commands ? commands[word] : await registry[word]?.load();
    if (!entry || !isGroup(entry)) break;
  }
  return { path, entry, rest };
}

/** Yields the words that are neither flags nor values of global flags. */
function* words(args: readonly string[]): Generator<{ word: string; at: number }> {
  let isValue = false;
  for (const [at, word] of args.entries()) {
    if (isValue) isValue = false;
    else if (word === "--") return;
    else if (valuedGlobals.has(word)) isValue = true;
    else if (!word.startsWith("-") || word === "-") yield { word, at };
  }
}

/** Verbs of other tools with the same meaning. */
const synonyms = [
  ["create", "add", "new"],
  ["delete", "remove", "rm", "del", "destroy"],
  ["get", "show", "view", "info", "describe"],
  ["update", "set", "edit", "modify", "change"],
  ["list", "ls", "all"],
  ["login", "signin"],
  ["logout", "signout"],
];

function unknownCommand(path: readonly string[], word: string, names: readonly string[]): UsageError {
  const parent = ["wcs", ...path].join(" ");
  const meant =
    suggestName(word, names) ?? synonyms.find((all) => all.includes(word))?.find((name) => names.includes(name));
  return new UsageError(
    `unknown command '${parent} ${word}'`,
    meant ? { hint: `did you mean '${parent} ${meant}'?` } : { usage: `${parent} <command>; see ${parent} --help` },
  );
}
