import { dirname, resolve } from "node:path";
import { isMap, isScalar } from "yaml";
import { z } from "zod";
import { isHttpUrl } from "../../../contract/http-url.ts";
import { type Issues, tryParse } from "../../../contract/parse-input.ts";
import { defaults, type Settings, settingsSchema, settingVariable } from "../../../contract/settings.ts";
import { quoteForShell } from "../../../contract/shell-quote.ts";
import { isShortTokenKey, tokenKeyBytes } from "../../../core/pipeline/load-instance.ts";
import { isPostgresUrl } from "../../../store/open-database.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { suggestName } from "../../errors/nearest-name.ts";
import { modeOf, modeText, readersOf } from "../../file-io/file-mode.ts";
import { parseYaml, plainContent } from "../../file-io/parse-yaml.ts";
import { readNamedFile } from "../../file-io/value-sources.ts";
import { withoutPassword } from "../../session/database-url.ts";
import { keyAdvice, parseDatabaseKey } from "../../session/open-with-key.ts";
import { databaseAddress } from "../../session/target.ts";
import { sharedOptions } from "./serve-schema.ts";

/** A key, as in `settings.base_url`, and the issue with its value. */
type ConfigIssue = Readonly<Record<"field" | "message", string>>;

const text = () => z.string().min(1);
const database = () => text().refine((value) => !isHttpUrl(value), "must be a SQLite file or a postgres:// URL");

const options = () =>
  z.strictObject({
    ...sharedOptions(),
    db: database().optional(),
    smtp_url: settingsSchema().shape["mail.smtp_url"].unwrap().optional(),
    secret_key_file: text().optional(),
    secret_key: text().optional(),
    token_key: text()
      .refine((key) => !isShortTokenKey(key), `must have at least ${tokenKeyBytes} bytes; ${keyAdvice}`)
      .optional(),
    metrics_token: text().optional(),
    settings: settingsSchema().omit({ "mail.smtp_url": true }).partial().optional(),
  });

type Options = z.infer<ReturnType<typeof options>>;

/** Reads options from YAML or JSON. Errors name the line of each issue, but repeat no value, because it may be a secret. */
export function readServeConfig(path: string) {
  const { lines, parsed } = parseYaml(readNamedFile(path, "--config"));
  const refuse = (issues: readonly { line: number; message: string }[]) => {
    const all = issues.toSorted((a, b) => a.line - b.line).map(({ line, message }) => `${path}:${line}: ${message}`);
    return new UsageError(all.join("; "), { hint: "see wcs serve --help" });
  };
  if (parsed.errors.length > 0)
    throw refuse(parsed.errors.map(({ message, pos: [at] }) => ({ line: lines.linePos(at).line, message })));
  const result = tryParse(options(), plainContent(parsed, path));
  const issues = result.ok ? exposedSecrets(result.value, path) : explained(result);
  if (!result.ok || issues.length > 0) {
    const lineOf = (field: string) => lines.linePos(offsetOf(parsed.contents, field) ?? 0).line;
    throw refuse(issues.map(({ field, message }) => ({ line: lineOf(field), message: `${field} ${message}` })));
  }
  return withVariables(result.value, path);
}

function explained({ fields, issues }: Issues): ConfigIssue[] {
  const known = Object.keys(options().shape);
  return Object.entries(fields).map(([field, reasons]) => {
    if (field === "body") return { field: "The file", message: "must be a list of options, as in port: 8420" };
    if (!issues.some((issue) => issue.field === field && issue.code === "unknown_field"))
      return { field, message: reasons.join(" and ") };
    const setting = /^settings\.(.*)$/s.exec(field)?.[1];
    if (setting === "mail.smtp_url") return { field, message: "is the option smtp_url in this file" };
    const names = setting === undefined ? known : Object.keys(defaults);
    const meant = suggestName(setting ?? field, names);
    const suggestion = meant ? `did you mean ${meant}?` : `known are ${names.join(", ")}`;
    return { field, message: `is not ${setting === undefined ? "an option" : "a setting"}; ${suggestion}` };
  });
}

/** Returns an issue for each secret of a file that other users can read. */
function exposedSecrets(config: Options, path: string): ConfigIssue[] {
  const mode = modeOf(path) ?? 0;
  if ((mode & 0o077) === 0) return [];
  const secrets = (["secret_key", "token_key", "metrics_token"] as const).filter((name) => config[name] !== undefined);
  const { db, smtp_url: smtp } = config;
  const found = [
    ...secrets,
    ...(db !== undefined && withoutPassword(db) !== db ? ["db"] : []),
    ...(smtp !== undefined && new URL(smtp).password !== "" ? ["smtp_url"] : []),
  ];
  const message = `has a secret, but ${readersOf(mode)} can read the file (${modeText(mode)}); run chmod 0600 ${quoteForShell(path)}`;
  return found.map((field) => ({ field, message }));
}

/** Returns the offset of the key of a field, else of the key that the field is within; undefined when there is none. */
function offsetOf(map: unknown, field: string): number | undefined {
  const items = isMap(map) ? map.items : [];
  // Keys of settings contain dots.
  const pair = items.find(({ key }) => isScalar(key) && `${field}.`.startsWith(`${key.value}.`));
  if (!isScalar(pair?.key)) return undefined;
  return offsetOf(pair.value, field.slice(`${pair.key.value}.`.length)) ?? pair.key.range?.[0];
}

/** Returns the options, and a function that adds the variables of the file to an environment; those of the environment take precedence. */
function withVariables(config: Options, path: string) {
  const { db, smtp_url, secret_key_file, secret_key, token_key, metrics_token, settings = {}, ...shared } = config;
  // Relative paths begin at the folder of the file, so that it means the same wherever the command runs.
  const at = (name: string | undefined) => name && resolve(dirname(resolve(path)), name);
  const isUrl = db !== undefined && isPostgresUrl(databaseAddress(db));
  const variables = {
    WCS_DB: isUrl ? db : at(db),
    WCS_SECRET_KEY: secret_key,
    WCS_SECRET_KEY_FILE: at(secret_key_file),
    WCS_TOKEN_KEY: token_key,
    WCS_METRICS_TOKEN: metrics_token,
    WCS_SETTING_MAIL_SMTP_URL: smtp_url,
    ...Object.fromEntries(
      Object.entries(settings).map(([key, value]) => [settingVariable(key), asVariable(key, value)]),
    ),
  };
  const addTo = async (env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> => {
    const added = Object.entries(variables).filter(([name, value]) => {
      const rivals = rivalGroups.find((group) => group.includes(name)) ?? [name];
      return value !== undefined && rivals.every((rival) => !env[rival]);
    });
    const has = (name: keyof typeof variables) => added.some(([each]) => each === name);
    // Errors about a wrong key name the option that it comes from.
    if (secret_key !== undefined && has("WCS_SECRET_KEY")) await parseDatabaseKey(secret_key, `${path}: secret_key`);
    if (variables.WCS_SECRET_KEY_FILE !== undefined && has("WCS_SECRET_KEY_FILE")) {
      const option = `${path}: secret_key_file`;
      await parseDatabaseKey(readNamedFile(variables.WCS_SECRET_KEY_FILE, option), option);
    }
    return { ...env, ...Object.fromEntries(added) };
  };
  return { options: shared, addTo };
}

/** Groups of variables: one in the environment replaces all of its group in the file. */
const rivalGroups = [
  ["WCS_DB", "WCS_PROFILE", "WCS_URL"],
  ["WCS_SECRET_KEY", "WCS_SECRET_KEY_FILE"],
];

/** Variables of settings are JSON, except those whose default is a text. */
const asVariable = (key: string, value: unknown) =>
  typeof defaults[key as keyof Settings] === "string" ? String(value) : JSON.stringify(value);
