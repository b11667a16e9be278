import { expect, it } from "vitest";
import { openapi } from "../../src/http/openapi.ts";
import { operations } from "./support.ts";

/** The upper limits of inputs, which clients rely on: a lower one refuses what was accepted before. */
const limits: Readonly<Record<string, string>> = {
  "maxLength 35": "language languages",
  "maxLength 63": "provider",
  "maxLength 64": "phone postal_code timezone",
  "maxLength 100": "code name operation otp scopes",
  "maxLength 128": "password",
  "maxLength 200": "keyword q query token",
  "maxLength 254": "email username",
  "maxLength 255":
    "Idempotency-Key assume city company country department first_name last_name name parent path reference registration_number street street_additional texts title uid unit vat_number",
  "maxLength 320": "mail.from",
  "maxLength 1000":
    "current cursor location meta_field_0 meta_field_1 meta_field_2 meta_field_3 meta_field_4 password password_confirm question repeat_rules",
  "maxLength 2000": "comments",
  "maxLength 2048": "base_url link mail.smtp_url uri",
  "maxLength 10000": "body description message user_types",
  "maxLength 20000": "body",
  "maxLength 100000": "body",
  "maxLength 41943040": "data",
  "maxItems 1": "files",
  "maxItems 4": "recurrence",
  "maxItems 7": "byday",
  "maxItems 50": "files office_hours triggers",
  "maxItems 100": "choices closed languages mentions scopes texts uid userTypes",
  "maxItems 499": "recipients users",
  "maxItems 500": "participants shares units units_falldown userIDs userTypes users",
  "maxItems 1000": "assume rows",
  "maxItems 500000": "present",
  "maximum 4": "mute_rule",
  "maximum 7": "day",
  "maximum 12": "bymonth",
  "maximum 31": "bymonthday",
  "maximum 60": "wait webhooks.timeout",
  "maximum 90": "lat",
  "maximum 100": "depth limit",
  "maximum 128": "passwords.min_length",
  "maximum 180": "lng",
  "maximum 200": "fileCount parts",
  "maximum 365": "mail.days webhooks.log_days",
  "maximum 366": "bysetpos",
  "maximum 500": "limit",
  "maximum 1000": "interval",
  "maximum 2400": "endhours starthours",
  "maximum 3650": "audit.days tokens.expired_days",
  "maximum 100000": "count",
  "maximum 604800": "passwords.reset_lifetime",
  "maximum 2592000": "passwords.welcome_lifetime",
  "maximum 30408704": "uploads.max_bytes",
  "maximum 31536000": "tokens.absolute_lifetime tokens.lifetime",
  "maximum 221845305600": "close_at end expires_at expires_before publish_on since start unpublish_on until",
};

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}
interface Parameter {
  readonly name: string;
  readonly schema: Schema;
}
interface Described {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

const document = JSON.parse(JSON.stringify(openapi(operations)));

function resolve<T extends object>(value: T | { readonly $ref: string }): T {
  if (!("$ref" in value) || value.$ref === undefined) return value as T;
  const path = String(value.$ref).split("/").slice(1);
  return path.reduce((at, key) => at[key], document) as T;
}

/** Yields the fields of a schema, and of those in it, with each limit. */
function* limitsOf(given: Schema, name: string): Generator<{ readonly limit: string; readonly name: string }> {
  const schema = resolve(given);
  for (const [key, value] of Object.entries(schema))
    if (/^(maxLength|maxItems|maximum)$/.test(key)) yield { limit: `${key} ${value}`, name };
  for (const [field, inner] of Object.entries(schema.properties ?? {})) yield* limitsOf(inner, field);
  const { anyOf = [], oneOf = [], allOf = [], items } = schema;
  for (const inner of [...anyOf, ...oneOf, ...allOf, ...(items ? [items] : [])]) yield* limitsOf(inner, name);
}

it("texts, lists and numbers in requests have the limits that clients rely on", () => {
  const described = Object.values<Record<string, Described>>(document.paths).flatMap((path) => Object.values(path));
  const found = described.flatMap(({ parameters = [], requestBody }) => [
    ...parameters
      .map((parameter) => resolve<Parameter>(parameter))
      .flatMap(({ schema, name }) => [...limitsOf(schema, name)]),
    ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => [...limitsOf(schema, "")]),
  ]);
  const byLimit = Map.groupBy(found, ({ limit }) => limit);
  const names = [...byLimit].map(([limit, those]) => [
    limit,
    [...new Set(those.map(({ name }) => name))].sort().join(" "),
  ]);
  expect(Object.fromEntries(names)).toEqual(limits);
});
