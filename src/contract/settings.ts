import { z } from "zod";
import {
  component,
  formatError,
  isLine,
  language,
  line,
  nullable,
  onOneLine,
  timezone,
  url,
} from "./common-schemas.ts";
import { hasMoreThanPath, withoutApi } from "./http-url.ts";
import { once } from "./once.ts";
import { operation, operationGroup } from "./operation.ts";

const smtpUrl = () =>
  z
    .url({ protocol: /^smtps?$/, ...formatError("must be a URL like smtp://user:password@mail.example.com:587") })
    .max(2048)
    .refine(isLine, onOneLine);

/** Links are made by appending a path, and stand in mails and in the public OpenAPI document. */
const baseUrl = () =>
  url()
    .refine((value) => !hasMoreThanPath(value), "must not have a query, a fragment or credentials")
    .overwrite((value) => withoutApi(URL.parse(value)?.href ?? value));

const address = String.raw`[^\s<>@,;:"]+@[^\s<>@,;:"]+`;
const mailbox = new RegExp(String.raw`^(${address}|("[^"]*"|[^<>@,;:"]*)\s*<${address}>)$`);
const sender = () =>
  line(320).refine(
    (value) => mailbox.test(value.trim()),
    "must be an e-mail address, alone or after a name, like Acme <wcs@example.com>",
  );

const duration = (min: number, max: number, description: string) =>
  z.int().min(min).max(max).meta({ format: "duration", description });
const days = (max: number, description: string) => z.int().min(1).max(max).describe(description);

/** Returns false for two letters that are the code of no language, as xx. */
function isAssigned(tag: string): boolean {
  if (!/^[a-z]{2}(-|$)/.test(tag)) return true;
  return new Intl.DisplayNames(["en"], { type: "language", fallback: "none" }).of(tag.slice(0, 2)) !== undefined;
}

const keys = once(() => ({
  name: line(100, 1)
    .nullable()
    .describe("Name of the instance in mails and on pages; while it is empty, the name of the root unit"),
  base_url: baseUrl().nullable().describe("Public URL of the service, used for links in mails and on pages"),
  timezone: timezone().describe("IANA time zone of the instance, used for all-day and recurring events"),
  languages: z
    .array(language().refine(isAssigned, { error: ({ input }) => `is not a language: ${input}` }))
    .min(1)
    .max(100)
    .overwrite((tags) => [...new Set(tags)])
    .describe("Languages that users can choose, as BCP 47 tags"),
  "tokens.lifetime": duration(60, 31_536_000, "Lifetime of an access token"),
  "tokens.absolute_lifetime": duration(60, 31_536_000, "Time after sign-in during which a token can be renewed"),
  "tokens.expired_days": days(3650, "Number of days for which expired API tokens are still listed"),
  "passwords.min_length": z.int().min(8).max(128).describe("Minimum number of characters of a password"),
  "passwords.reset_lifetime": duration(60, 604_800, "Lifetime of a link to reset a password"),
  "passwords.welcome_lifetime": duration(60, 2_592_000, "Lifetime of the link in a welcome mail"),
  "two_factor.required_for_administrators": z
    .boolean()
    .describe("Require administrators to set up two factors before they can do anything else"),
  "mail.from": sender().nullable().describe("Sender address of mails; mails wait while it is empty"),
  "mail.smtp_url": smtpUrl()
    .nullable()
    .meta({ secret: true, description: "URL of the SMTP server, with its credentials; mails wait while it is empty" }),
  "mail.allow_plain": z.boolean().describe("Send mails without TLS if the SMTP server does not offer it"),
  "mail.days": days(365, "Number of days for which sent and failed mails are kept"),
  "webhooks.allow_private": z.boolean().describe("Allow webhook receivers at private addresses"),
  "webhooks.timeout": duration(1, 60, "Maximum time for a webhook receiver to respond"),
  "webhooks.log_days": days(365, "Number of days for which webhook events and logs are kept"),
  "audit.days": days(3650, "Number of days for which entries of the audit log are kept"),
  // A file of this size fits, in base64, into the largest request body together with the other fields.
  "uploads.max_bytes": z
    .int()
    .min(1)
    .max(29 * 1024 * 1024)
    .meta({ format: "bytes", description: "Maximum size of an uploaded file" }),
}));

export const settingVariable = (key: string): string => `WCS_SETTING_${key.replaceAll(".", "_").toUpperCase()}`;

export const settingsSchema = once(() => z.strictObject(keys()));
export type Settings = z.infer<ReturnType<typeof settingsSchema>>;

export const defaults: Settings = {
  name: null,
  base_url: null,
  timezone: "UTC",
  languages: ["en", "da"],
  "tokens.lifetime": 86_400,
  "tokens.absolute_lifetime": 2_592_000,
  "tokens.expired_days": 30,
  "passwords.min_length": 8,
  "passwords.reset_lifetime": 1800,
  "passwords.welcome_lifetime": 604_800,
  "two_factor.required_for_administrators": false,
  "mail.from": null,
  "mail.smtp_url": null,
  "mail.allow_plain": false,
  "mail.days": 30,
  "webhooks.allow_private": false,
  "webhooks.timeout": 15,
  "webhooks.log_days": 30,
  "audit.days": 365,
  "uploads.max_bytes": 26_214_400,
};

const neededForMail = ["mail.smtp_url", "mail.from"] as const;

/** Returns the unset settings without which no mail can be sent. Mail waits until they are set. */
export const missingForMail = (settings: Readonly<Record<(typeof neededForMail)[number], string | null>>): string[] =>
  neededForMail.filter((key) => settings[key] === null);

/** The settings in a response. `mail.smtp_url` is reduced to `set` or null. */
const shown = component("Settings", () => ({ ...keys(), "mail.smtp_url": z.literal("set").nullable() }));

const isText = (schema: z.ZodType) =>
  (schema instanceof z.ZodNullable ? schema.unwrap() : schema)._zod.def.type === "string";

export const settings = operationGroup("settings", {
  list: operation("GET", "/settings", "List the settings of the instance", {
    access: "administrator",
    output: shown,
    knownBy: "name",
  }),
  set: operation("PATCH", "/settings", "Change settings of the instance", {
    description:
      'Changes take effect within a second on every server. null restores the default, and so does "" for a text or link.',
    access: "administrator",
    input: () =>
      Object.fromEntries(
        Object.entries(keys()).map(([key, schema]) => [key, isText(schema) ? nullable(schema) : schema.nullish()]),
      ) as {
        [K in keyof Settings]: z.ZodOptional<z.ZodNullable<ReturnType<typeof keys>[K]>>;
      },
    output: shown,
    knownBy: "name",
    errors: ["conflict"],
  }),
});
