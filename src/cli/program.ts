import { UsageError } from "./failure.ts";
import { valuedGlobals } from "./globals.ts";
import { nearest } from "./nearest.ts";
import { root } from "./root.ts";
import type { Terminal } from "./terminal.ts";
import { type Entry, isGroup } from "./tree.ts";

/** Where a command line leads: the entry it names, by which words, and what else is on the line. */
export interface Found {
  readonly path: readonly string[];
  /** Undefined for the program itself. */
  readonly entry: Entry | undefined;
  readonly rest: readonly string[];
}

/** Finds the command on the line and runs it. */
export async function run(args: readonly string[], terminal: Terminal): Promise<void> {
  if (args[0] === "__complete") return (await import("./complete.ts")).complete(args.slice(1), terminal);
  const { path, entry, rest } = await find(args);
  if (entry && !isGroup(entry)) return (await import("./command.ts")).runLeaf(entry, path, rest, terminal);
  const { showHelp } = await import("./help.ts");
  await showHelp(path, entry, rest, terminal);
}

/** Follows the words of the line down the tree, loading only what they name. */
export async function find(args: readonly string[]): Promise<Found> {
  const path: string[] = [];
  const rest = [...args];
  let entry: Entry | undefined;
  for (const { word, at } of words(args)) {
    const names = Object.keys(entry && isGroup(entry) ? entry.commands : root);
    if (!names.includes(word)) throw unknownCommand(path, word, names);
    rest.splice(at - path.length, 1);
    path.push(word);
    entry = entry && isGroup(entry) ? entry.commands[word]! : await root[word]!.load();
    if (!isGroup(entry)) break;
  }
  return { path, entry, rest };
}

/** The words that are neither flags nor the values of global ones. */
function* words(args: readonly string[]): Generator<{ word: string; at: number }> {
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (word === "--") return;
    if (valuedGlobals.has(word)) at += 1;
    else if (!word.startsWith("-") || word === "-") yield { word, at };
  }
}

/** Verbs that other tools have for the same. */
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
    nearest(word, names) ?? synonyms.find((all) => all.includes(word))?.find((name) => names.includes(name));
  return new UsageError(
    `unknown command '${parent} ${word}'`,
    meant ? { hint: `did you mean '${parent} ${meant}'?` } : { usage: `${parent} <command>; see ${parent} --help` },
  );
}
