import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import { lineOf } from "../terminal/shell-words.ts";
import type { Registry } from "./command-spec.ts";
import { wrongGuesses } from "./wrong-guesses.ts";

const synonyms = [
  ["create", "add", "new"],
  // The first list with the word decides: nobody who wants to revoke something is led to delete a user.
  ["revoke", "end"],
  ["delete", "remove", "revoke", "end", "rm", "del", "destroy"],
  ["get", "show", "view", "info", "describe"],
  ["update", "set", "edit", "modify", "change", "rename"],
  ["deactivate", "disable", "block", "suspend", "lock"],
  ["reactivate", "enable", "activate", "restore", "undelete", "unsuspend", "unblock"],
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

/** Top-level commands of other tools, and words that users ask help for, with the commands and topics here. */
const moved: Readonly<Record<string, string>> = {
  login: "auth login",
  signin: "auth login",
  logout: "auth logout",
  signout: "auth logout",
  password: "users password",
  passwd: "users password",
  use: "profile use",
  status: "auth status",
  backup: "db backup",
  restore: "db restore",
  migrate: "db migrate",
  log: "audit list",
  logs: "audit list",
  calendar: "events calendar",
  listen: "webhooks listen",
  plan: "diff",
  send: "conversations send",
  version: "--version",
  find: "names find",
  whatis: "names find",
  trigger: "webhooks test",
  resend: "webhooks resend",
  replay: "webhooks resend",
  health: "doctor",
  ping: "doctor",
  check: "doctor",
  undo: "audit list",
  recipes: "help tasks",
  examples: "help tasks",
  tutorial: "help tasks",
  docs: "help tasks",
  man: "help tasks",
  onboarding: "help tasks",
  offboarding: "help tasks",
  jq: "help formatting",
  csv: "help formatting",
  json: "help formatting",
  output: "help formatting",
  query: "help formatting",
  errors: "help exit-codes",
  times: "help calendar",
  dates: "help calendar",
};

/** Groups, with the names that other tools have for the things in them, in the singular. */
const nouns: Readonly<Record<string, readonly string[]>> = {
  users: ["person", "people", "account", "member", "employee"],
  units: ["team", "department", "org", "ou"],
  usertypes: ["role", "permission"],
  webhooks: ["endpoint", "hook"],
  tokens: ["apikey", "key"],
  sessions: ["device"],
  posts: ["new", "announcement", "article"],
  events: ["meeting"],
  conversations: ["channel", "chat"],
  audit: ["activity", "history"],
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
  const guess = wrongGuesses[`${parent} ${word}`];
  if (guess !== undefined) return new UsageError(`unknown command '${parent} ${word}'`, { hint: guess });
  // The command may be in a group of its own, as wcs sessions list, and not below auth.
  if (path.length > 0 && Object.hasOwn(registry, word)) {
    const verb = /^[a-z]/.test(next) ? ` ${next}` : "";
    return new UsageError(`unknown command '${parent} ${word}'`, { hint: `did you mean 'wcs ${word}${verb}'?` });
  }
  if (parent === "wcs" && word === "wcs")
    return new UsageError("unknown command 'wcs wcs'", { hint: "write the command without wcs" });
  const own = path.length === 0 && Object.hasOwn(moved, word) ? moved[word] : undefined;
  // The name of a thing, as in wcs posts comments 12.
  const listed = path.length > 1 && names.includes("list") ? lineOf(["list", word]).replace("wcs ", "") : undefined;
  const meant =
    own ??
    (path.length === 0 ? await meantInGroup(registry, word, next) : undefined) ??
    suggestName(word, names) ??
    synonymIn(names, word) ??
    listed;
  const usage = `${parent} <command>; see ${parent} --help`;
  const early =
    /^--[^=]+$/.test(before) && /^\d/.test(word) ? { hint: `write ${before} after the command`, usage } : { usage };
  return new UsageError(
    `unknown command '${parent} ${word}'`,
    meant ? { hint: `did you mean '${parent} ${meant}'?` } : early,
  );
}

const synonymIn = (names: readonly string[], word: string) =>
  synonyms.find((all) => all.includes(word))?.find((name) => names.includes(name));

/** Returns the command of a group for a verb before its noun, as in `suspend user`, or for the noun of another tool. */
async function meantInGroup(registry: Registry, word: string, next: string): Promise<string | undefined> {
  const groupOf = (noun: string) =>
    Object.keys(registry).find((name) => [name, `${name}s`].includes(noun) || name === `${noun}s`) ??
    Object.keys(nouns).find((name) => nouns[name]?.includes(noun.replace(/s$/, "")));
  const [group = "", verb] = groupOf(word) ? [groupOf(word), next] : [groupOf(next), word];
  const entry = await registry[group]?.load();
  // Not isGroup: the program would load more to share it.
  if (entry === undefined || !("commands" in entry)) return undefined;
  const verbs = Object.keys(entry.commands);
  const meant = verbs.includes(verb) ? verb : (synonymIn(verbs, verb) ?? suggestName(verb, verbs));
  return meant === undefined ? `${group} --help` : `${group} ${meant}`;
}
