import type { z } from "zod";
import { ServiceError } from "../../contract/errors.ts";
import { once } from "../../contract/once.ts";
import { tryParseJson } from "../../contract/parse-json.ts";
import { defaults, type Settings, settingsSchema, settingVariable } from "../../contract/settings.ts";
import type { Database } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";
import type { Instance } from "./context.ts";

type Environment = Record<string, string | undefined>;
type Kept = Pick<Database, "reader" | "secrets">;
export const tokenKeyBytes = 32;

const instanceRow = prepared((db) => db.selectFrom("instance").select(["issuer", "token_key"]));
const settingRows = prepared((db) => db.selectFrom("settings").select(["key", "value"]));

/** Loads the instance. `WCS_TOKEN_KEY` takes precedence over the stored key and must have at least 32 bytes. */
export async function loadInstance({ reader, secrets }: Kept, environment: Environment): Promise<Instance> {
  const [row] = await instanceRow(reader, {});
  if (row === undefined)
    throw new ServiceError("not_found", "The database contains no wcs instance. Create one with wcs init.");
  const given = environment.WCS_TOKEN_KEY;
  if (given !== undefined && isShortTokenKey(given))
    throw new ServiceError("unavailable", `WCS_TOKEN_KEY is shorter than ${tokenKeyBytes} bytes.`);
  const tokenKey =
    given === undefined
      ? Buffer.from(secrets.open("instance.token_key", row.token_key), "base64url")
      : Buffer.from(given);
  return { issuer: row.issuer, tokenKey };
}

export const isShortTokenKey = (key: string): boolean => Buffer.byteLength(key) < tokenKeyBytes;

/** Returns a function that loads the settings. The environment, which is read once, takes precedence over the database. */
export function settingsLoader({ reader, secrets }: Kept, environment: Environment): () => Promise<Settings> {
  const given = once(() => parsedSettings(environment));
  return async () => {
    const settings: Record<string, unknown> = { ...defaults };
    for (const { key, value } of await settingRows(reader, {}))
      settings[key] = JSON.parse(secrets.open(`settings.value.${key}`, value));
    return { ...settings, ...given() } as Settings;
  };
}

function parsedSettings(environment: Environment): Partial<Settings> | undefined {
  const given = settingsIn(environment);
  if (given === undefined) return undefined;
  const parsed = settingsSchema().partial().safeParse(given);
  if (parsed.success) return parsed.data as Partial<Settings>;
  throw new ServiceError("unavailable", invalidValue(parsed.error));
}

function settingsIn(environment: Environment): Record<string, unknown> | undefined {
  if (!Object.keys(environment).some((name) => name.startsWith(settingVariable("")))) return undefined;
  const given: Record<string, unknown> = {};
  for (const key of Object.keys(defaults)) {
    const value = environment[settingVariable(key)];
    if (value === undefined) continue;
    const parsed = typeof defaults[key as keyof Settings] === "string" ? undefined : tryParseJson(value);
    given[key] = parsed === undefined ? value : parsed;
  }
  return given;
}

function invalidValue({ issues }: z.ZodError): string {
  const key = String(issues[0]?.path[0]);
  return `${settingVariable(key)} is not a valid value of the setting ${key}.`;
}

/** Returns the issue with the settings in the environment: an invalid value, or an unknown name. */
export function settingsIssue(environment: Environment): string | undefined {
  const given = settingsIn(environment);
  if (given === undefined) return undefined;
  const known = new Set(Object.keys(defaults).map(settingVariable));
  const unknown = Object.keys(environment).find((name) => name.startsWith(settingVariable("")) && !known.has(name));
  if (unknown !== undefined) return `${unknown} is not the variable of a setting.`;
  const parsed = settingsSchema().partial().safeParse(given);
  return parsed.success ? undefined : invalidValue(parsed.error);
}
