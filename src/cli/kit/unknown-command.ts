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
  ["reactivate", "enable", "activate"],
  ["list", "ls", "all"],
  ["login", "signin"],
  ["logout", "signout"],
  ["search", "find"],
  ["logs", "deliveries", "tail"],
  ["resend", "replay", "redeliver", "retry"],
  ["test", "trigger", "ping"],
];

/** Top-level commands of other tools, and the commands that replace them here. */
const moved: Readonly<Record<string, string>> = {
  login: "auth login",
  logout: "auth logout",
  status: "auth status",
  backup: "db backup",
  restore: "db restore",
  migrate: "db migrate",
  config: "settings list",
  log: "audit list",
  logs: "audit list",
  calendar: "events calendar",
  listen: "webhooks listen",
  plan: "diff",
  send: "conversations send",
  version: "--version",
};

interface UnknownWord {
  readonly path: readonly string[];
  readonly word: string;
  /** The words on the line before and after it. */
  readonly before: string | undefined;
  readonly names: readonly string[];
  readonly next: string | undefined;
  readonly registry: Registry;
}

export function unknownCommand({ path, word, before = "", names, next = "", registry }: UnknownWord): UsageError {
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
    suggestName(word, names) ??
    synonyms.find((all) => all.includes(word))?.find((name) => names.includes(name)) ??
    listed;
  const usage = `${parent} <command>; see ${parent} --help`;
  const early =
    /^--[^=]+$/.test(before) && /^\d/.test(word) ? { hint: `write ${before} after the command`, usage } : { usage };
  return new UsageError(
    `unknown command '${parent} ${word}'`,
    meant ? { hint: `did you mean '${parent} ${meant}'?` } : early,
  );
}
