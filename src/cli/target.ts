import { resolve } from "node:path";
import { type Config, type Profile, readConfig } from "./config.ts";
import { UsageError } from "./failure.ts";
import type { Globals } from "./globals.ts";
import { nearest } from "./nearest.ts";

/** What a command works on. */
export interface Target {
  /** Path of a SQLite file, postgres:// URL, or base URL of an instance. */
  readonly address: string;
  readonly remote: boolean;
  /** The profile whose login counts here, if there is one. */
  readonly profile?: { readonly name: string } & Profile;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const isRemote = (address: string): boolean => /^https?:\/\//i.test(address);

/** The base URL without the slash or `/api` that it may end in. */
export function baseUrl(text: string): string {
  if (!isRemote(text) || !URL.canParse(text)) {
    throw new UsageError(`'${text}' is not the URL of an instance`, { hint: "it looks like https://wcs.example.com" });
  }
  return text.replace(/\/+$/, "").replace(/\/api$/, "");
}

/** A database as it is kept in a profile: found from every directory. */
export const databaseAddress = (text: string): string => (/^postgres(ql)?:\/\//.test(text) ? text : resolve(text));

/** Finds what to work on: by flags, else by the environment, else the current profile. */
export function findTarget(globals: Globals, env: Environment, config: Config = readConfig(env)): Target {
  const target =
    chosen(config, [
      ["--profile", "profile", globals.profile],
      ["--db", "db", globals.db],
      ["--url", "url", globals.url],
    ]) ??
    chosen(config, [
      ["WCS_PROFILE", "profile", env.WCS_PROFILE || undefined],
      ["WCS_DB", "db", env.WCS_DB || undefined],
      ["WCS_URL", "url", env.WCS_URL || undefined],
    ]) ??
    (config.current === undefined ? undefined : byProfile(config, config.current));
  if (!target) {
    throw new UsageError("there is nothing to work on yet", {
      hint: "make a database with wcs init, or sign in to an instance with wcs auth login --url URL",
    });
  }
  if (target.remote && globals.as !== undefined)
    throw new UsageError("--as is for databases; over HTTP one is who signed in");
  return target;
}

type Choice = readonly [source: string, kind: "profile" | "db" | "url", value: string | undefined];

function chosen(config: Config, choices: readonly Choice[]): Target | undefined {
  const given = choices.filter(([, , value]) => value !== undefined);
  if (given.length > 1) throw new UsageError(`${given.map(([source]) => source).join(" and ")} exclude each other`);
  const [, kind, value] = given[0] ?? [];
  if (kind === undefined || value === undefined) return undefined;
  if (kind === "profile") return byProfile(config, value);
  if (kind === "db") {
    if (isRemote(value))
      throw new UsageError(`'${value}' is the URL of an instance, not a database`, { hint: "use --url" });
    return { address: databaseAddress(value), remote: false };
  }
  const address = baseUrl(value);
  const names = [config.current ?? "", ...Object.keys(config.profiles)];
  const name = names.find((candidate) => config.profiles[candidate]?.target === address);
  return { address, remote: true, ...(name && { profile: { name, ...config.profiles[name]! } }) };
}

function byProfile(config: Config, name: string): Target {
  const profile = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  if (!profile) {
    const meant = nearest(name, Object.keys(config.profiles));
    throw new UsageError(`there is no profile '${name}'`, {
      hint: meant ? `did you mean '${meant}'?` : "wcs profile list shows those there are",
    });
  }
  return { address: profile.target, remote: isRemote(profile.target), profile: { name, ...profile } };
}
