import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isRecord, tryParseJson } from "../../contract/parse-json.ts";
import { makeFolders } from "../../store/make-folders.ts";
import { UsageError } from "../errors/cli-errors.ts";

export interface Profile {
  /** SQLite file path, postgres:// URL or http(s):// URL. */
  readonly target: string;
  readonly token?: string;
  readonly expires?: number;
  /** E-mail address of the signed-in user, for display. */
  readonly user?: string;
}

export interface Config {
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly current?: string;
  /** The words that the user's own short names of commands stand for. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
}

export function configDir(env: NodeJS.ProcessEnv, platform = process.platform): string {
  if (env.WCS_CONFIG_DIR) return env.WCS_CONFIG_DIR;
  const home = () => homeFolder("set WCS_CONFIG_DIR to a folder that you can write to");
  if (platform === "win32") return join(env.APPDATA ?? join(home(), "AppData", "Roaming"), "wcs");
  return join(env.XDG_CONFIG_HOME || join(home(), ".config"), "wcs");
}

export function dataDir(env: NodeJS.ProcessEnv, platform = process.platform): string {
  const home = () => homeFolder("name the database with --db");
  if (platform === "win32") return join(env.LOCALAPPDATA ?? join(home(), "AppData", "Local"), "wcs");
  return join(env.XDG_DATA_HOME || join(home(), ".local", "share"), "wcs");
}

/** Returns the home of the user. One without an entry in the list of users, as in a container, has none unless HOME is set. */
export function homeFolder(hint: string): string {
  try {
    return homedir();
  } catch {
    throw new UsageError("this user has no home folder", { hint });
  }
}

export const configFile = (env: NodeJS.ProcessEnv): string => join(configDir(env), "config.json");

/** Returns false for a user without a home folder, who has no configuration either. */
export function hasConfigDir(env: NodeJS.ProcessEnv): boolean {
  try {
    return configDir(env) !== "";
  } catch {
    return false;
  }
}

/** Reads the configuration. Does not use `conf`, which takes longer to load than most commands run. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  if (!hasConfigDir(env)) return { profiles: {} };
  const file = configFile(env);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { profiles: {} };
    throw new UsageError(`the configuration file ${file} cannot be read (${code})`, {
      hint: "set WCS_CONFIG_DIR to a folder that you can read, or name the database with --db",
    });
  }
  const config = parseConfig(text);
  if (config) return config;
  throw new UsageError(`the configuration file ${file} is invalid`, {
    hint: "repair it, or move it away and sign in again with wcs auth login",
  });
}

function parseConfig(text: string): Config | undefined {
  const config = tryParseJson(text);
  if (!isRecord(config)) return undefined;
  const [profiles, aliases] = [config.profiles ?? {}, config.aliases ?? {}];
  const isValid =
    isRecord(profiles) &&
    Object.values(profiles).every(isProfile) &&
    isOptional("string", config.current) &&
    isAliases(aliases);
  return isValid ? ({ ...config, profiles } as Config) : undefined;
}

const isProfile = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value.target === "string" &&
  isOptional("string", value.token) &&
  isOptional("number", value.expires) &&
  isOptional("string", value.user);

const isOptional = (type: "string" | "number", value: unknown): boolean => value === undefined || typeof value === type;

const isAliases = (value: unknown): boolean =>
  isRecord(value) &&
  Object.values(value).every((words) => Array.isArray(words) && words.every((word) => typeof word === "string"));

/** Changes the configuration under its lock, or only calculates the change in a dry run. `change` gets the current content. */
export async function changeConfig(
  env: NodeJS.ProcessEnv,
  change: (config: Config) => Config,
  isDryRun = false,
): Promise<Config> {
  if (isDryRun) return change(readConfig(env));
  return withConfigLock(env, 10_000, async (save) => save(change(readConfig(env))));
}

/** Runs `work`, which must read the configuration again before it saves, under the lock. */
export async function withConfigLock<T>(
  env: NodeJS.ProcessEnv,
  maxWait: number,
  work: (save: (config: Config) => Promise<Config>) => Promise<T>,
): Promise<T> {
  const dir = configDir(env);
  const [{ withLock }, { makePrivate, saveConfig }] = await Promise.all([
    import("./file-lock.ts"),
    import("./save-config.ts"),
  ]);
  try {
    makeFolders(dir, 0o700);
    makePrivate(dir);
    return await withLock(`${configFile(env)}.lock`, maxWait, (held) =>
      work(async (config) => {
        await saveConfig(dir, config, held);
        return config;
      }),
    );
  } catch (error) {
    const { code = "", path = "" } = error as NodeJS.ErrnoException;
    if (!unwritable.has(code) || !(path.startsWith(dir) || dir.startsWith(path))) throw error;
    throw new UsageError(`the configuration in ${dir} cannot be written (${code})`, {
      hint: "set WCS_CONFIG_DIR to a folder that you can write to",
    });
  }
}

const unwritable: ReadonlySet<string> = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", "ENOENT"]);

/** Returns the profile with a name, which may also be that of a property of all objects, such as `constructor`. */
export const profileNamed = ({ profiles }: Config, name: string): Profile | undefined =>
  Object.hasOwn(profiles, name) ? profiles[name] : undefined;

export const withProfile = (config: Config, name: string, profile: Profile): Config => ({
  ...config,
  profiles: { ...config.profiles, [name]: profile },
});
