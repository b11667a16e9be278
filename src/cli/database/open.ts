import { readFileSync } from "node:fs";
import type { Database, OpenOptions } from "../../store/database.ts";
import { UsageError } from "../failure.ts";
import { reason } from "../sources.ts";

export const advice = "make a key with openssl rand -base64 32";

/** Opens a database with the key that the environment holds for its secrets. A missing or wrong key is a `UsageError`. */
export async function openWithKey(
  target: string,
  env: NodeJS.ProcessEnv,
  options: OpenOptions = {},
): Promise<Database> {
  const secretKey = await readKey(env);
  const [{ openDatabase }, { SecretKeyError }] = await Promise.all([
    import("../../store/database.ts"),
    import("../../store/secret-cipher.ts"),
  ]);
  try {
    return await openDatabase(target, { ...options, secretKey });
  } catch (error) {
    if (error instanceof SecretKeyError) throw new UsageError(error.message, { hint: error.hint });
    throw error;
  }
}

/** Reads the key of the database's secrets; undefined when the environment names none. */
async function readKey({ WCS_SECRET_KEY: text, WCS_SECRET_KEY_FILE: path }: NodeJS.ProcessEnv) {
  if (text !== undefined && path !== undefined)
    throw new UsageError("WCS_SECRET_KEY and WCS_SECRET_KEY_FILE exclude each other");
  if (text !== undefined) return parseKey(text, "WCS_SECRET_KEY");
  if (path === undefined) return undefined;
  try {
    return await parseKey(readFileSync(path, "utf8"), "WCS_SECRET_KEY_FILE");
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(`WCS_SECRET_KEY_FILE: ${reason(error, path)}`);
  }
}

/** Reads a key; `source` names where it comes from. The message does not repeat it. */
export async function parseKey(text: string, source: string): Promise<Uint8Array> {
  const { parseSecretKey } = await import("../../store/secret-cipher.ts");
  const key = parseSecretKey(text);
  if (key === undefined) throw new UsageError(`${source} must be 32 bytes in base64 or hexadecimal`, { hint: advice });
  return key;
}
