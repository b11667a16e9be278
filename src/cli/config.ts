import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { UsageError } from "./failure.ts";

/** A place to work on, and who is signed in there. */
export interface Profile {
  /** Path of a SQLite file, postgres:// or http(s):// URL. */
  readonly target: string;
  readonly token?: string;
  /** When the token ends, in Unix seconds. */
  readonly expires?: number;
  /** E-mail address of who is signed in, for display. */
  readonly user?: string;
}

export interface Config {
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly current?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the configuration lives: WCS_CONFIG_DIR, else the place that the system has for it. */
export function configDir(env: Environment, platform = process.platform): string {
  if (env.WCS_CONFIG_DIR) return env.WCS_CONFIG_DIR;
  if (platform === "win32") return join(env.APPDATA ?? join(homedir(), "AppData", "Roaming"), "wcs");
  return join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "wcs");
}

/** Where a database is made when nothing else is said. */
export function dataDir(env: Environment, platform = process.platform): string {
  if (platform === "win32") return join(env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local"), "wcs");
  return join(env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "wcs");
}

export const configFile = (env: Environment): string => join(configDir(env), "config.json");

/** Reads the configuration. Not through `conf`: that takes longer to load than all else that a command does. */
export function readConfig(env: Environment): Config {
  const file = configFile(env);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { profiles: {} };
    throw new UsageError(`the configuration ${file} cannot be read (${code})`);
  }
  const config = parseConfig(text);
  if (config) return config;
  throw new UsageError(`the configuration ${file} is broken`, {
    hint: "mend it, or move it away and sign in again with wcs auth login",
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseConfig(text: string): Config | undefined {
  let config: unknown;
  try {
    config = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(config) || !isRecord(config.profiles ?? {})) return undefined;
  const profiles = (config.profiles ?? {}) as Record<string, unknown>;
  const whole = Object.values(profiles).every(
    (profile) =>
      isRecord(profile) &&
      typeof profile.target === "string" &&
      ["string", "undefined"].includes(typeof profile.token) &&
      ["number", "undefined"].includes(typeof profile.expires),
  );
  return whole ? ({ ...config, profiles } as unknown as Config) : undefined;
}

/** Changes the configuration as it is by then, while nobody else does. */
export async function changeConfig(env: Environment, change: (config: Config) => Config): Promise<Config> {
  return withConfigLock(env, 10_000, async (save) => save(change(readConfig(env))));
}

/**
 * Runs `work` while no other process changes the configuration; it re-reads what it wants to change and saves.
 * Throws `LockTimeout` when the lock cannot be had in `patience` milliseconds.
 */
export async function withConfigLock<T>(
  env: Environment,
  patience: number,
  work: (save: (config: Config) => Promise<Config>) => Promise<T>,
): Promise<T> {
  const dir = configDir(env);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  const { withLock } = await import("./lock.ts");
  return withLock(`${configFile(env)}.lock`, patience, (held) => work(async (config) => save(dir, config, held)));
}

async function save(dir: string, config: Config, held: () => boolean): Promise<Config> {
  const { default: Conf } = await import("conf");
  // conf takes the umask off the mode that it is given, and reads the file before it writes.
  const umask = process.umask(0o077);
  try {
    const store = new Conf<Record<string, unknown>>({ projectName: "wcs", cwd: dir, configFileMode: 0o600 });
    if (!held()) throw new Error("another process took over the configuration while this one was held up");
    store.store = { ...config };
  } finally {
    process.umask(umask);
  }
  return config;
}
