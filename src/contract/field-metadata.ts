import type { z } from "zod";

/** The format of a value: a `unix-time` counts seconds since 1970, a `duration` is in seconds. */
export type FieldFormat = "unix-time" | "date" | "date-time" | "duration" | "bytes";

export const referenceNouns = {
  users: "user",
  units: "unit",
  usertypes: "user type",
  groups: "group",
  webhooks: "webhook",
  events: "event",
  posts: "post",
  conversations: "conversation",
  sessions: "session",
  tokens: "token",
  departments: "department",
  choices: "choice",
  files: "file",
} as const;

export type Reference = keyof typeof referenceNouns;

/** The kinds of things that people know by name or title. The command line takes their names where it takes an ID. */
export const namedKinds = [
  "users",
  "units",
  "usertypes",
  "groups",
  "webhooks",
  "tokens",
  "events",
  "posts",
  "conversations",
] as const;
export type NamedKind = (typeof namedKinds)[number];

/** The kinds of things whose titles need not be unique. Prompts offer a list of them where an ID is missing. */
export const listedKinds = ["events", "posts", "conversations", "sessions"] as const;
export type ListedKind = (typeof listedKinds)[number];

/** Metadata of a schema, given with zod's `meta`: everything that code has to know beyond the type of a value. */
export interface FieldMetadata {
  readonly description?: string | undefined;
  readonly format?: FieldFormat | undefined;
  /** The last moment of a period, so that the command line takes a day without a time as the whole day. */
  readonly periodEnd?: boolean | undefined;
  readonly refersTo?: Reference | undefined;
  /** An attached file: the command line takes its name and content from a path. */
  readonly file?: boolean | undefined;
  /** The value must not be logged, repeated or shown in full. */
  readonly secret?: boolean | undefined;
  /** A password that replaces another one: prompts ask for it twice, and it can come from WCS_PASSWORD. */
  readonly newPassword?: boolean | undefined;
  readonly multiline?: boolean | undefined;
  /** Placeholder of the value in help, if its type and format do not say enough. */
  readonly placeholder?: string | undefined;
  /** Explains values of an enum that do not explain themselves. */
  readonly values?: Readonly<Record<string, string>> | undefined;
  /** The schema of items in the OpenAPI document, for a schema that accepts invalid items in order to report them. */
  readonly documentedAs?: (() => z.ZodType) | undefined;
  readonly id?: string | undefined;
}

/** Metadata keys that must not appear in the OpenAPI document. */
export const internalMetadata = [
  "periodEnd",
  "refersTo",
  "file",
  "secret",
  "newPassword",
  "multiline",
  "placeholder",
  "values",
  "documentedAs",
] as const satisfies readonly (keyof FieldMetadata)[];
