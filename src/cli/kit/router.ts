import { valuedGlobals } from "../terminal/global-options.ts";
import { isTaken, nameIn, shortcutOf } from "./command-aliases.ts";
import { type CommandEntry, isGroup, type Registry } from "./command-spec.ts";

/** Finds the entry that a line names, without loading others; undefined for the program itself. */
export async function findCommand(registry: Registry, args: readonly string[]) {
  const path: string[] = [];
  const rest = [...args];
  let removed = 0;
  let entry: CommandEntry | undefined;
  for (const { word, at } of words(args)) {
    const commands = entry && isGroup(entry) ? entry.commands : undefined;
    const names = Object.keys(commands ?? registry);
    const name = nameIn(names, word, commands);
    if (name === undefined && word === "help") {
      // As with other tools: wcs webhooks help, wcs webhooks help create.
      rest.splice(at - removed, 1, "--help");
      continue;
    }
    if (name === undefined) {
      const { unknownCommand } = await import("./unknown-command.ts");
      throw await unknownCommand({ path, word, args, at, names, registry });
    }
    rest.splice(at - removed++, 1);
    path.push(name);
    entry = commands ? commands[name] : await registry[name]?.load();
    if (!entry || !isGroup(entry)) break;
  }
  return { path, entry, rest };
}

/** Replaces a first word that is a short name or an alias, but not a command, by the words of its command. */
export async function expandAlias(
  registry: Registry,
  args: readonly string[],
  aliases: () => Promise<Aliases>,
): Promise<readonly string[]> {
  const [first] = words(args);
  if (first === undefined) return args;
  const { word, at } = first;
  const expanded = shortcutOf(word) ?? (isTaken(registry, word) ? undefined : ownAlias(await aliases(), word));
  return expanded === undefined ? args : [...args.slice(0, at), ...expanded, ...args.slice(at + 1)];
}

type Aliases = Readonly<Record<string, readonly string[]>>;

const ownAlias = (aliases: Aliases, word: string) => (Object.hasOwn(aliases, word) ? aliases[word] : undefined);

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
