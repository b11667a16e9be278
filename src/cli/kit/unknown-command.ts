import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import { lineOf } from "../terminal/shell-words.ts";
import type { CommandEntry, Registry } from "./command-spec.ts";
import { wrongGuesses } from "./wrong-guesses.ts";

const deletions = ["delete", "remove", "revoke", "end", "rm", "del", "destroy"];

const synonyms = [
  ["create", "add", "new"],
  // The first list with the word decides: nobody who wants to revoke something is led to delete a user.
  ["revoke", "end"],
  deletions,
  ["get", "show", "view", "info", "describe"],
  ["update", "set", "edit", "modify", "change", "rename"],
  ["deactivate", "disable", "block", "suspend", "lock"],
  ["reactivate", "enable", "activate", "undelete", "unsuspend", "unblock"],
  ["list", "ls", "all", "print"],
  ["login", "signin"],
  ["logout", "signout"],
  ["renew", "refresh"],
  ["use", "switch", "select"],
  ["search", "find"],
  ["logs", "deliveries", "tail"],
  ["resend", "replay", "redeliver", "retry"],
  ["test", "trigger", "ping"],
];

/** Groups, with the names that other tools have for the things in them, in the singular. */
const nouns: Readonly<Record<string, readonly string[]>> = {
  users: ["person", "people", "account", "employee"],
  units: ["team", "org", "ou"],
  usertypes: ["role", "permission"],
  webhooks: ["endpoint", "hook"],
  tokens: ["apikey", "key"],
  sessions: ["device"],
  posts: ["news", "announcement", "article"],
  events: ["meeting"],
  conversations: ["channel", "chat", "inbox"],
  counters: ["notification"],
  audit: ["activity", "history", "log"],
  profile: ["context"],
};

interface UnknownWord {
  readonly path: readonly string[];
  readonly word: string;
  /** All words of the line, and the place of this one. */
  readonly args: readonly string[];
  readonly at: number;
  readonly names: readonly string[];
  readonly registry: Registry;
}

export async function unknownCommand({ path, word, args, at, names, registry }: UnknownWord): Promise<UsageError> {
  const [before = "", next = ""] = [args[at - 1], args[at + 1]];
  const parent = ["wcs", ...path].join(" ");
  const message = `unknown command '${parent} ${word}'`;
  // The command may be in a group of its own, as wcs sessions list, and not below auth.
  if (path.length > 0 && Object.hasOwn(registry, word) && wrongGuesses[`${parent} ${word}`] === undefined)
    return new UsageError(message, { hint: didYouMean(`wcs ${word}${/^[a-z]/.test(next) ? ` ${next}` : ""}`) });
  const pair = path.length === 0 && word !== "wcs" ? await hintInGroup(registry, word, next) : undefined;
  const hint = pair ?? hintIn(parent, word, names) ?? (await hintAtGroups(registry, word, path.length > 0));
  if (hint !== undefined) return new UsageError(message, { hint });
  // The name of a thing, as in wcs posts comments 12.
  if (path.length > 1 && names.includes("list"))
    return new UsageError(message, { hint: didYouMean(`${parent} ${lineOf(["list", word]).replace("wcs ", "")}`) });
  const usage = `${parent} <command>; see ${parent} --help`;
  const isEarly = /^--[^=]+$/.test(before) && /^\d/.test(word);
  return new UsageError(message, isEarly ? { hint: `write ${before} after the command`, usage } : { usage });
}

const didYouMean = (line: string) => `did you mean '${line}'?`;

/** Returns the hint at the command that a word below `parent` stands for. */
function hintIn(parent: string, word: string, names: readonly string[]): string | undefined {
  if (names.includes(word)) return didYouMean(`${parent} ${word}`);
  const guess = wrongGuesses[`${parent} ${word}`];
  if (guess !== undefined) return guess;
  const synonym = synonyms.find((all) => all.includes(word))?.find((name) => names.includes(name));
  // Two letters make undelete of delete, activate of deactivate, and import of export.
  const meant = synonym ?? suggestName(word, names, 1.5);
  return meant === undefined ? undefined : didYouMean(`${parent} ${meant}`);
}

/**
 * Returns the hint at the groups with a command, as at `wcs db backup` for `backup`. Words of many groups, and deletions, have none.
 * In another group, neither have commands that ask first, since the ID on the line is not one of theirs.
 */
async function hintAtGroups(registry: Registry, word: string, inGroup: boolean): Promise<string | undefined> {
  if (deletions.includes(word)) return undefined;
  const found: string[] = [];
  for (const [group, { load }] of Object.entries(registry)) {
    const entry = await load();
    const commands = "commands" in entry ? entry.commands : {};
    const name = Object.keys(commands).find((each) => word === each || word === `${each}s`);
    if (name !== undefined && !(inGroup && asksFirst(commands[name]))) found.push(`'wcs ${group} ${name}'`);
  }
  return found.length > 0 && found.length <= 3 ? `did you mean ${found.join(" or ")}?` : undefined;
}

const asksFirst = (entry: CommandEntry | undefined): boolean =>
  entry !== undefined &&
  ("confirm" in entry || ("flags" in entry && entry.flags?.some(({ flags }) => flags.includes("--yes")) === true));

/** Returns the hint at the command of a group for a verb before its noun, as in `suspend user`, or for the noun of another tool. */
async function hintInGroup(registry: Registry, word: string, next: string): Promise<string | undefined> {
  const groupOf = (noun: string) =>
    Object.keys(registry).find((name) =>
      [name, name.replace(/s$/, ""), ...(nouns[name] ?? [])].some((each) => noun === each || noun === `${each}s`),
    );
  const [group = "", verb] = groupOf(word) ? [groupOf(word), next] : [groupOf(next), word];
  const entry = await registry[group]?.load();
  // Not isGroup: the program would load more to share it.
  if (entry === undefined || !("commands" in entry)) return undefined;
  const parent = `wcs ${group}`;
  return hintIn(parent, verb, Object.keys(entry.commands)) ?? didYouMean(`${parent} --help`);
}
