import { Option } from "commander";
import type { AnyOperation } from "../contract/operation.ts";
import type { Field } from "../contract/shape.ts";
import type { Section } from "./help-format.ts";

/** A flag of a command that carries out an operation: where its value goes in the input, and how it is read. */
export interface Flag {
  readonly name: string;
  /** Where the value goes: `["contact", "phone"]`. */
  readonly path: readonly string[];
  readonly field: Field;
  readonly reads: "text" | "integer" | "number" | "boolean" | "time" | "list" | "json" | "secret" | "files";
  /** Users, who may be named by more than their IDs. */
  readonly byName?: true;
  /** Of a time that is planned: the field from which `+90m` counts, or null for now. */
  readonly ahead?: string | null;
}

export const kebab = (name: string): string =>
  name
    .replace(/[a-z0-9](?=[A-Z])/g, "$&-")
    .replace(/[_.]/g, "-")
    .toLowerCase();

/** The flags for the fields of an input. */
export function flagsOf(fields: readonly Field[], above: readonly string[] = []): Flag[] {
  return fields.flatMap((field) => {
    const path = [...above, field.name];
    // Nobody types base64: files are named by their paths.
    if (holdsFiles(field)) return [{ name: "file", path, field, reads: "files" as const }];
    if (field.fields?.length) return flagsOf(field.fields, path);
    return [{ name: path.map(kebab).join("-"), path, field, reads: readsAs(field) }];
  });
}

export const holdsFiles = ({ items }: Field): boolean => items?.model === "FileItem";

const unixTime = /[ (]*Unix time in seconds\)?;? ?/;
const isTime = ({ kind, description }: Field) => kind === "integer" && unixTime.test(` ${description}`);

function readsAs(field: Field): Flag["reads"] {
  if (field.secret) return "secret";
  if (isTime(field)) return "time";
  switch (field.kind) {
    case "integer":
    case "number":
    case "boolean":
      return field.kind;
    case "string":
      return "text";
    case "array":
      return field.items && ["integer", "number", "string"].includes(field.items.kind) ? "list" : "json";
    default:
      return "json";
  }
}

/** Fields that hold the ID of something, by the room in which it can be looked up. */
const references: Readonly<Record<string, "users" | "units" | "usertypes" | "groups">> = {
  unit: "units",
  units: "units",
  parent: "units",
  below: "units",
  transfer: "units",
  from: "units",
  user: "users",
  users: "users",
  recipients: "users",
  participants: "users",
  user_type: "usertypes",
  userTypes: "usertypes",
  group: "groups",
};

/** The room whose items a field names by ID. */
export const refersTo = ({ name, kind, items }: Field): "users" | "units" | "usertypes" | "groups" | undefined =>
  kind === "integer" || items?.kind === "integer" ? references[name] : undefined;

/** Flags of objects within objects are many and alike: help shows them as one family per object. */
const isDeep = ({ path }: Flag) => path.length > 2;

/** The families of deep flags: `--addresses-company-<field>`. */
export function familiesOf(flags: readonly Flag[]): Section[] {
  const families = Map.groupBy(flags.filter(isDeep), ({ path }) => path.slice(0, -1).map(kebab).join("-"));
  if (families.size === 0) return [];
  const rows = [...families].map(([family, members]): [string, string] => [
    `    --${family}-<field>`,
    members.map(({ path }) => kebab(path.at(-1)!)).join(", "),
  ]);
  return [{ title: "Families of options:", rows }];
}

/** What commander has to know of a flag. */
export function optionsOf(flag: Flag): Option[] {
  const { name, field, reads } = flag;
  const description = describe(flag);
  const shown = (option: Option, hidden = false) => option.hideHelp(hidden || isDeep(flag));
  if (reads === "secret") {
    return [
      new Option(`--${name}-stdin`, `Read ${description.toLowerCase()} from stdin`),
      new Option(`--${name}-file <path>`, `Read ${description.toLowerCase()} from a file`),
    ];
  }
  if (reads === "boolean") {
    // Both forms exist always; help shows what changes something, and both as one.
    return [
      shown(new Option(`--${name}`, description), field.default === true),
      shown(
        new Option(`--no-${name}`, field.default === true ? negated(description) : description),
        field.default === false,
      ),
    ];
  }
  const option = shown(new Option(`--${name} <${placeholder(flag)}>`, description));
  if (reads === "list" || reads === "files")
    option.argParser((value, before: string[] | undefined) => [...(before ?? []), value]);
  return [option];
}

const negated = (description: string) => `Do not ${description.charAt(0).toLowerCase()}${description.slice(1)}`;

function placeholder({ field, reads, byName }: Flag): string {
  if (field.values) return field.values.join("|");
  if (reads === "time") return "time";
  if (reads === "files") return "path";
  if (byName) return "user,...";
  const one = refersTo(field) ? "id" : (field.items ?? field).kind === "string" ? "text" : "n";
  return reads === "list" ? `${one},...` : reads === "json" ? "json" : one;
}

function describe({ path, field, reads }: Flag): string {
  if (reads === "files")
    return `Attach this file, or the video at this URL; again for more${field.required ? " (required)" : ""}`;
  const said = isTime(field) ? field.description?.replace(unixTime, " ").trim() : field.description;
  const text = said || sentenceCase(path.slice(-2).join(" "));
  if (field.required && path.length === 1) return `${text} (required)`;
  return field.default === undefined || field.kind === "boolean" ? text : `${text} (default ${String(field.default)})`;
}

/** `first_name` and `userTypes` as a person writes them. */
export function sentenceCase(name: string): string {
  const words = kebab(name).replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether the operation changes something, so that it can be tried without doing it. */
export const changes = (op: AnyOperation): boolean => op.method !== "GET";
