import { z } from "zod";
import { normalizeDateTime, parseDateTime } from "./date-time.ts";
import type { Reference } from "./field-metadata.ts";
import { once } from "./once.ts";
import type { Ability } from "./operation.ts";
import { isTimeZone } from "./time-zone.ts";

/** Returns the schema of an object with a name in the OpenAPI document, made on first use. */
export const component = <S extends z.ZodRawShape>(id: string, shape: () => S) =>
  once(() => z.object(shape()).meta({ id }));

/** Returns the schema of an object in an input, which has no other fields, with a name in the OpenAPI document. */
export const inputComponent = <S extends z.ZodRawShape>(id: string, shape: () => S) =>
  once(() => z.strictObject(shape()).meta({ id }));

/** Replaces the message about a malformed value. Missing and too long values keep the usual message. */
export const formatError = (message: string) => ({
  error: ({ code, input }: { readonly code: string; readonly input?: unknown }) =>
    input !== undefined && (code === "invalid_format" || code === "invalid_type") ? message : undefined,
});

/** Returns several fields, each with a schema of the same kind. */
export const fieldsNamed = <const N extends readonly string[], T extends z.ZodType>(names: N, schema: () => T) =>
  Object.fromEntries(names.map((name) => [name, schema()])) as { [K in N[number]]: T };

/** Returns the schema of a text in an output that can be missing. */
export const nullableText = () => z.string().nullable();

/** Returns the schema of an ID in an input; `refersTo` names the group in which the thing can be looked up. */
export const id = (refersTo?: Reference) => {
  const schema = z.int(formatError("must be an integer")).positive("must be a positive integer");
  return refersTo === undefined ? schema.meta({ placeholder: "id" }) : schema.meta({ refersTo });
};
export const ids = (refersTo: Reference, max = 500) => z.array(id(refersTo)).min(1).max(max);
export const idOf = (refersTo: Reference) => z.int().meta({ refersTo });
export const unixTime = () => z.int().meta({ format: "unix-time" });
// Every date library and format supports the times in between.
export const firstDate = "1900-01-01";
export const lastDate = "8999-12-31";
const supportedTime = () =>
  z
    .int()
    .min(Date.parse(firstDate) / 1000, "must not be before the year 1900")
    .max(Date.parse(lastDate) / 1000, "must be before the year 9000");

/** Returns the schema of a time in an input: Unix time, or a date-time of RFC 3339 with an offset. */
export const time = () =>
  z
    .union([
      z
        .string()
        .refine(
          (value) => parseDateTime(value) !== undefined,
          "must be Unix time in seconds, or a date-time that exists like 2026-12-31T14:00:00Z",
        )
        .meta({ format: "date-time" })
        .transform((value) => parseDateTime(value) ?? 0)
        .pipe(supportedTime()),
      supportedTime(),
    ])
    .meta({ format: "unix-time" });
export const periodEnd = () => time().meta({ periodEnd: true });
/** Returns the schema of a date or date-time as text, in any form of RFC 3339; local times have no offset. */
export const dateTime = (message: string) =>
  z
    .string()
    .overwrite((value) => normalizeDateTime(value) ?? value)
    .refine((value) => normalizeDateTime(value) !== undefined, message);
export const dateText = () => z.string().meta({ format: "date" });
export const bytes = () => z.int().meta({ format: "bytes" });
/** A boolean, also accepted as 0 or 1. */
export const flag = () => z.union([z.literal([0, 1]), z.boolean()]);
/** The response of an operation that creates a thing; `location` is its path, with fields of the response in braces. */
export const created = <T extends z.ZodType>(output: () => T, location: string) =>
  ({ output, status: 201, location }) as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const notOnALine = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same, but for the tab and the end of a line
const notInText = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

export const onOneLine = "must be on one line, without control characters or direction overrides";

/** Returns true when the text is one line, without control characters and direction overrides. */
export const isLine = (value: string): boolean => !notOnALine.test(value);

/** Returns false for a text of spaces and characters that show nothing, such as U+200B. */
export const isVisible = (value: string): boolean => visible().test(value);
/** Made on first use, because it has a large class of characters. */
// biome-ignore lint/complexity/useRegexLiterals: V8 reads a literal when it parses the code around it, even if that never runs.
const visible = once(() => new RegExp("[^\\s\\p{Default_Ignorable_Code_Point}]", "u"));

/** Returns the schema of a text of `min` to `max` code points. */
function text(max: number, min: number, form: (schema: z.ZodString) => z.ZodString) {
  const error = `must have at most ${max} characters`;
  // A code point has two units at most. Longer text is refused first: looking through megabytes holds up other requests.
  return form(z.string().refine((value) => value.length <= 2 * max, { error, abort: true }))
    .refine((value) => value.isWellFormed(), "must not contain half a surrogate pair")
    .refine((value) => value.length <= max || [...value].length <= max, error)
    .refine(
      (value) => min === 0 || (value.trim().length >= min && isVisible(value)),
      min <= 1 ? "must not be blank" : `must have at least ${min} characters`,
    )
    .meta({ maxLength: max, ...(min > 0 && { minLength: min }) });
}

/** Text on one line. Joiners and direction marks, which emoji and scripts need, are allowed. */
export const line = (max: number, min = 0) => text(max, min, (schema) => schema.refine(isLine, onOneLine));

/** Text of several lines. Tabs and line feeds are the only control characters allowed. CR LF becomes LF. */
export const multiline = (max: number, min = 0) =>
  text(max, min, (schema) =>
    schema
      .overwrite((value) => value.replaceAll("\r\n", "\n"))
      .refine((value) => !notInText.test(value), "must not contain control characters other than tab and line feed"),
  ).meta({ multiline: true });

/** Makes a text optional. "" and null clear it to "". */
export const clearable = <T extends z.ZodType<string>>(schema: T) =>
  z.union([z.null().transform(() => ""), z.literal(""), schema]).optional();
/** Makes a value optional. "" and null clear it to null. */
export const nullable = <T extends z.ZodType>(schema: T) =>
  z.union([z.literal("").transform(() => null), schema]).nullish();

/** A name without spaces around it, so that two names that look the same are the same. */
export const name = () => text(255, 1, (schema) => schema.trim().refine(isLine, onOneLine));
/** Normalizes a reference, because other systems write the same letter in one or in two characters, and fill columns with spaces. */
export const normalizeReference = (value: string): string => value.normalize("NFC").trim();
/** A key assigned by another system: 1 to 255 characters, unique within its kind. */
export const reference = () =>
  text(255, 1, (schema) => schema.overwrite(normalizeReference).refine(isLine, onOneLine)).meta({
    placeholder: "ref",
    description: "Unique key assigned by another system",
  });
export const email = () =>
  z
    .string()
    .max(254, { abort: true })
    .check(z.email(formatError("must be an e-mail address like ann@example.com")))
    .meta({ placeholder: "email", description: "E-mail address" });
/** The minimum length depends on the settings, so the operations check it. */
export const newPassword = () =>
  z
    .string()
    .max(128, "must have at most 128 characters")
    .meta({ secret: true, newPassword: true, minLength: 8, description: "New password" });
export const date = () =>
  z.iso.date({ ...formatError("must be a date that exists, as YYYY-MM-DD"), abort: true }).meta({ format: "date" });
export const url = () =>
  z
    .string()
    .max(2048, { abort: true })
    .check(z.url({ protocol: /^https?$/, ...formatError("must be a URL that begins with http:// or https://") }))
    .refine(
      (value) => value.isWellFormed() && isLine(value) && !/\s/u.test(value),
      "must not contain spaces, control characters or direction overrides",
    )
    .meta({ placeholder: "url" });

function isLanguage(tag: string): boolean {
  try {
    return /^[a-z]/.test(tag) && Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
export const language = () =>
  z
    .string()
    .max(35, { abort: true })
    .refine(isLanguage, "must be a language tag like en or pt-BR (BCP 47)")
    .meta({ placeholder: "tag", description: "Language as a BCP 47 tag, like en or pt-BR" });

/** Returns the zone of a city, as in `Europe/Berlin` for `berlin`. */
const zoneOf = (city: unknown) =>
  Intl.supportedValuesOf("timeZone").find((zone) => zone.toLowerCase().endsWith(`/${city}`.toLowerCase()));

export const timezone = () =>
  z
    .string()
    .max(64, { abort: true })
    .refine(isTimeZone, {
      error: ({ input }) => `must be a time zone of the IANA database like ${zoneOf(input) ?? "Europe/Copenhagen"}`,
    })
    .meta({ placeholder: "zone", description: "IANA time zone, like Europe/Copenhagen" });

export const wholeList = <T extends z.ZodType>(item: () => T) =>
  ({ output: () => z.object({ data: z.array(item()) }), list: { items: "data" } }) as const;

const cursors = component("Cursors", () => fieldsNamed(["next_cursor", "prev_cursor"], nullableText));

export const cursorList = <T extends z.ZodType>(item: () => T) =>
  ({
    output: () => z.object({ data: z.array(item()), meta: cursors() }),
    list: { items: "data", paging: "cursor" },
  }) as const;

const limit = (max: number, defaultLimit: number) =>
  z.int().min(1).max(max).default(defaultLimit).describe(`Items per page, 1 to ${max}`);

export const cursorInput = (max = 500, defaultLimit = 50) => ({
  limit: limit(max, defaultLimit),
  cursor: line(1000)
    .optional()
    .meta({
      placeholder: "cursor",
      description:
        "Continue at the cursor of another page: next_cursor or prev_cursor in its meta (--raw on the command line)",
    }),
});

export const pageInput = (max = 500, defaultLimit = 50) => ({
  page: z.int().min(1).default(1).describe("Page number"),
  limit: limit(max, defaultLimit),
});

const pageLinks = component("PageLinks", () => fieldsNamed(["first", "last", "prev", "next"], nullableText));
const pageMeta = component("PageMeta", () => ({
  current_page: z.int(),
  from: z.int().nullable(),
  last_page: z.int(),
  path: z.string(),
  per_page: z.int(),
  to: z.int().nullable(),
  total: z.int(),
}));

export const numberedList = <T extends z.ZodType>(item: () => T) =>
  ({
    output: () => z.object({ data: z.array(item()), links: pageLinks(), meta: pageMeta() }),
    list: { items: "data", paging: "pages" },
  }) as const;

const ability = (description: string) => z.boolean().optional().describe(description);

export const abilityFlags = inputComponent(
  "AbilitiesInput",
  () =>
    ({
      news: ability("Publish news"),
      calendar: ability("Publish events"),
      groups: ability("Create and manage groups"),
      user: ability("Manage users and their memberships"),
      units: ability("Manage units and their departments"),
      usertypes: ability("Manage user types"),
      integrations: ability("Manage integrations (not used yet)"),
    }) satisfies Record<Ability, unknown>,
);

/** The first fields of every form of a user. */
export const userCore = () => ({
  content_type: z.literal("user"),
  id: idOf("users"),
  ...fieldsNamed(["name", "first_name", "last_name", "title"], () => z.string()),
  active: z.boolean(),
});

/** The fields of every form of a unit, besides its `url`. */
export const unitCore = () => ({
  content_type: z.literal("unit"),
  id: idOf("units"),
  name: z.string(),
  level: z.int(),
  unit_type: z.string(),
});

export const unitBrief = component("UnitBrief", () => ({
  ...unitCore(),
  parent: z.object({ ...unitCore(), url: z.string() }).nullable(),
  url: z.string(),
}));

export const departmentBrief = component("Department", () => ({ id: z.int(), name: z.string() }));
export const userTypeBrief = component("UserTypeBrief", () => ({
  id: idOf("usertypes"),
  name: z.string(),
  url: z.string(),
}));
export const groupBrief = component("GroupBrief", () => ({ id: idOf("groups"), name: z.string(), url: z.string() }));
