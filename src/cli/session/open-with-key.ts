import type { Database, OpenOptions } from "../../store/database.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { readNamedFile } from "../file-io/value-sources.ts";

export const keyAdvice = "create a key with openssl rand -base64 32";

type Open = typeof import("../../store/open-database.ts");

/** Opens a database with the secret key from the environment. Throws a `UsageError` when a key or a setting there is wrong. */
export const openWithKey = (target: string, env: NodeJS.ProcessEnv, options: OpenOptions = {}): Promise<Database> =>
  withKey(env, ({ openDatabase }, secretKey) => openDatabase(target, { ...options, secretKey }));

export async function withKey<T>(
  env: NodeJS.ProcessEnv,
  work: (open: Open, secretKey: Uint8Array | undefined) => Promise<T>,
): Promise<T> {
  const secretKey = await readKey(env);
  await checkVariables(env);
  const [open, { SecretKeyError }] = await Promise.all([
    import("../../store/open-database.ts"),
    import("../../store/secret-cipher.ts"),
  ]);
  try {
    return await work(open, secretKey);
  } catch (error) {
    if (error instanceof SecretKeyError) throw new UsageError(error.message, { hint: error.hint });
    throw error;
  }
}

/** Throws a `UsageError` when a variable that overrides the token key or a setting is wrong, as every operation would fail. */
export async function checkVariables(env: NodeJS.ProcessEnv): Promise<void> {
  const { WCS_TOKEN_KEY: tokenKey } = env;
  if (tokenKey === undefined && !Object.keys(env).some((name) => name.startsWith("WCS_SETTING_"))) return;
  const { isShortTokenKey, settingsIssue, tokenKeyBytes } = await import("../../core/pipeline/load-instance.ts");
  if (tokenKey !== undefined && isShortTokenKey(tokenKey))
    throw new UsageError(`WCS_TOKEN_KEY must have at least ${tokenKeyBytes} bytes`, { hint: keyAdvice });
  const issue = settingsIssue(env);
  if (issue !== undefined) throw new UsageError(issue, { hint: "settings are listed by wcs settings list" });
}

async function readKey({ WCS_SECRET_KEY: text, WCS_SECRET_KEY_FILE: path }: NodeJS.ProcessEnv) {
  if (text !== undefined && path !== undefined)
    throw new UsageError("WCS_SECRET_KEY and WCS_SECRET_KEY_FILE cannot be used together");
  if (text !== undefined) return parseDatabaseKey(text, "WCS_SECRET_KEY");
  if (path === undefined) return undefined;
  return parseDatabaseKey(readNamedFile(path, "WCS_SECRET_KEY_FILE"), "WCS_SECRET_KEY_FILE");
}

/** Parses a key. `source` names its origin in the error, which does not repeat the key. */
export async function parseDatabaseKey(text: string, source: string): Promise<Uint8Array> {
  const { parseSecretKey } = await import("../../store/secret-cipher.ts");
  const key = parseSecretKey(text);
  if (key === undefined)
    throw new UsageError(`${source} must be 32 bytes in base64 or hexadecimal`, { hint: keyAdvice });
  return key;
}
