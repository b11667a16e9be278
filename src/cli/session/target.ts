import { statSync } from "node:fs";
import { resolve } from "node:path";
import { hasMoreThanPath, isHttpUrl, withoutApi } from "../../contract/http-url.ts";
import { once } from "../../contract/once.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import type { Globals } from "../terminal/global-options.ts";
import { type Config, type Profile, profileNamed, readConfig } from "./config.ts";
import { isAnyUrl, withoutPassword } from "./database-url.ts";

export interface Target {
  /** SQLite file path, postgres:// URL, or base URL of an instance. */
  readonly address: string;
  readonly remote: boolean;
  readonly profile?: { readonly name: string } & Profile;
}

/** Returns what a target is called in files and messages: its address without a password. */
export const shownAddress = ({ address, remote }: Target): string =>
  remote ? address : withoutPassword(databaseAddress(address));

/** Returns the address of an instance for a profile. The error repeats no password. */
export function baseUrl(text: string): string {
  if (isHttpUrl(text) && URL.canParse(text) && !hasMoreThanPath(text)) return withoutApi(text);
  const message = /[?#@]/.test(text)
    ? "the URL of an instance must not have a query, a fragment or credentials"
    : `'${text}' is not the URL of an instance`;
  throw new UsageError(message, { hint: "use a URL like https://wcs.example.com" });
}

/** Returns the address of a database for a profile. Relative paths become absolute. The error repeats no password. */
export function databaseAddress(text: string): string {
  if (!isAnyUrl(text)) return resolve(text);
  // Without a host, pg takes the local one.
  const url = /^postgres(ql)?:\/\//.test(text) ? URL.parse(text.replace("@/", "@localhost/")) : null;
  // Part of a password with @ and / would be parsed as the host and the database, and be shown in errors.
  if (url !== null && !`${url.pathname}${url.hash}`.includes("@")) return text;
  throw new UsageError("the URL of the database is not valid", {
    hint: "write the path of a file, or postgres://USER@HOST:PORT/DATABASE with characters like / # @ of a password percent-encoded",
  });
}

/** Returns the address of the database that a flag or a variable names. Throws a `UsageError` for a folder. */
export function givenDatabase(source: string, text: string): string {
  const address = databaseAddress(text);
  if (!isFolder(address)) return address;
  throw new UsageError(`${source}: ${text} is a folder, not the file of a database`);
}

/** Returns false as well for a path that cannot be examined, which opening the database reports. */
function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

/** Finds the target by flags, the environment or the current profile. A database by its path needs no configuration. */
export function findTarget(globals: Globals, env: NodeJS.ProcessEnv, given?: Config): Target {
  const read = once(() => given ?? readConfig(env));
  const variable = (kind: Kind) => `WCS_${kind.toUpperCase()}`;
  const target =
    chosen(read, (kind) => [`--${kind}`, globals[kind]]) ??
    chosen(read, (kind) => [variable(kind), env[variable(kind)] || undefined]) ??
    currentProfile(read());
  if (!target) {
    throw new UsageError("no target selected. Use --db, --url or --profile", {
      hint:
        Object.keys(read().profiles).length > 0
          ? "choose a profile with wcs profile use NAME"
          : "create a database with wcs init, or sign in to an instance with wcs auth login --url URL",
    });
  }
  if (target.remote && globals.as !== undefined)
    throw new UsageError("--as cannot be used with an instance; sign in as the user instead");
  return target;
}

const kinds = ["profile", "db", "url"] as const;
type Kind = (typeof kinds)[number];

function chosen(read: () => Config, choice: (kind: Kind) => [source: string, value?: string]): Target | undefined {
  const given = kinds.flatMap((kind) => {
    const [source, value] = choice(kind);
    return value === undefined ? [] : [{ kind, source, value }];
  });
  if (given.length > 1)
    throw new UsageError(`${given.map((each) => each.source).join(" and ")} cannot be used together`);
  if (given[0] === undefined) return undefined;
  const { kind, source, value } = given[0];
  if (kind === "profile") return byProfile(read(), value);
  if (kind === "db") {
    if (isHttpUrl(value))
      throw new UsageError(`'${value}' is the URL of an instance, not a database`, { hint: "use --url" });
    return { address: givenDatabase(source, value), remote: false };
  }
  const address = baseUrl(value);
  const config = read();
  const names = [config.current ?? "", ...Object.keys(config.profiles)];
  const [profile] = names.flatMap((name) => {
    const found = profileNamed(config, name);
    return found?.target === address ? [{ name, ...found }] : [];
  });
  return { address, remote: true, profile };
}

const currentProfile = (config: Config): Target | undefined =>
  config.current === undefined ? undefined : byProfile(config, config.current);

function byProfile(config: Config, name: string): Target {
  const profile = profileNamed(config, name);
  if (!profile) {
    const meant = suggestName(name, Object.keys(config.profiles));
    throw new UsageError(`unknown profile '${name}'`, {
      hint: meant ? `did you mean '${meant}'?` : "list profiles with wcs profile list",
    });
  }
  return { address: profile.target, remote: isHttpUrl(profile.target), profile: { name, ...profile } };
}
