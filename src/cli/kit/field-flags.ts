import { Option } from "commander";
import {
  type FieldFormat,
  type ListedKind,
  listedKinds,
  type NamedKind,
  namedKinds,
  type Reference,
  referenceNouns,
} from "../../contract/field-metadata.ts";
import { describeField, describeReference, type Field } from "../../contract/field-spec.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { capitalize, lowerFirst } from "../errors/cli-errors.ts";
import type { HelpSection } from "../terminal/help-layout.ts";
import { repeatable } from "./build-command.ts";

/** A flag of an operation's command: the input field that it sets, and how its value is parsed. */
export interface OperationFlag {
  readonly name: string;
  /** Path of the input field: `["contact", "phone"]`. */
  readonly path: readonly string[];
  readonly field: Field;
  readonly reads: "text" | "number" | "boolean" | "time" | "list" | "json" | "secret" | "files" | "argument";
  readonly at?: number;
  /** For a time in the future: the field to which `+90m` is relative, or null for now. */
  readonly ahead?: string | null;
  /** Flags of the command that set the same field, as --rrule for --recurrence. */
  readonly others?: readonly string[];
}

export const kebab = (name: string): string =>
  name
    .replace(/[a-z0-9](?=[A-Z])/g, "$&-")
    .replace(/[_.]/g, "-")
    .toLowerCase();

export function flagsOf(fields: readonly Field[], above: readonly string[] = []): OperationFlag[] {
  return fields.flatMap((field) => {
    const path = [...above, field.name];
    // Files are given by path, not as base64.
    if (holdsFiles(field)) return [{ name: "file", path, field, reads: "files" as const }];
    if (field.fields?.length) return flagsOf(field.fields, path);
    return [{ name: path.map(kebab).join("-"), path, field, reads: readsAs(field) }];
  });
}

export const holdsFiles = ({ items }: Field): boolean => items?.file === true;

function readsAs({ secret, format, kind, items }: Field): OperationFlag["reads"] {
  if (secret) return "secret";
  if (format === "unix-time") return "time";
  if (kind === "integer" || kind === "number") return "number";
  if (kind === "boolean") return kind;
  if (kind === "string") return "text";
  return items && ["integer", "number", "string"].includes(items.kind) ? "list" : "json";
}

/** Returns the kind of the things that a field takes, if they can be named. */
export const namedKindOf = (field: Field): NamedKind | undefined => namedKinds.find((kind) => kind === refersTo(field));

/** Returns the kind of the thing that a field takes, if prompts offer a list of such things. */
export const listedKindOf = ({ refersTo: own }: Field): ListedKind | undefined =>
  listedKinds.find((kind) => kind === own);

/** Returns the texts in the value of an argument or flag. Commas separate lists and IDs; names of single things may contain them. */
export function textsIn(given: unknown, field: Field | undefined): string[] {
  if (!Array.isArray(given)) return given === undefined ? [] : [String(given)];
  const isSplit = (text: string) => field?.kind === "array" || /^[\d,]+$/.test(text);
  return given.flatMap((text: string) => (isSplit(text) ? text.split(",").filter(Boolean) : text));
}

/** Returns whether a field takes a department of a unit. Its name is looked up when the unit is known. */
export const takesDepartment = (field: Field): boolean => field.refersTo === "departments";

/** Returns whether a field takes choices of the poll of a post. Their texts are looked up when the post is known. */
export const takesChoices = (field: Field): boolean => refersTo(field) === "choices";

export const takesPart = (field: Field): boolean => takesDepartment(field) || takesChoices(field);

/** Returns whether a field takes things that can be named, and some of these are not given by their IDs. */
export const givesNames = (field: Field, given: unknown): boolean =>
  (namedKindOf(field) !== undefined || takesPart(field)) &&
  textsIn(given, field).some((text) => !/^\s*-?\d{1,15}\s*$/.test(text));

/** Returns the group whose items a field names by ID. */
export const refersTo = ({ refersTo: own, items }: Field): Reference | undefined => own ?? items?.refersTo;

/** Flags of nested objects are many and similar, so help shows them as one family per object. */
const isDeep = ({ path }: OperationFlag) => path.length > 2;

/** Returns the help section for the flags of nested objects: `--addresses-company-<field>`. */
export function familiesOf(flags: readonly OperationFlag[]): HelpSection[] {
  const families = Map.groupBy(flags.filter(isDeep), ({ path }) => path.slice(0, -1).map(kebab).join("-"));
  if (families.size === 0) return [];
  const rows = [...families].map(([family, members]): [string, string] => [
    `    --${family}-<field>`,
    members.flatMap(({ path }) => path.slice(-1).map(kebab)).join(", "),
  ]);
  return [{ title: "Families of options:", rows }];
}

/** Returns the options of a flag. The line of a secret on stdin is after that of `before`, another secret. */
export function optionsOf(flag: OperationFlag, before?: string): Option[] {
  const { name, field, reads } = flag;
  const description = describeFlag(flag);
  const shown = (option: Option, hidden = false) => option.hideHelp(hidden || isDeep(flag));
  if (reads === "secret") {
    const after = before === undefined ? "" : `, after the line of --${before}-stdin`;
    return [
      new Option(`--${name}-stdin`, `Read the ${lowerFirst(description)} from stdin${after}`),
      new Option(`--${name}-file <path>`, `Read the ${lowerFirst(description)} from a file`),
    ];
  }
  if (reads === "boolean") {
    // Both forms exist. Help shows the form that changes the default, or both as one.
    return [
      shown(new Option(`--${name}`, description), field.default === true),
      shown(
        new Option(`--no-${name}`, field.default === true ? negated(description) : description),
        field.default === false,
      ),
    ];
  }
  const option = shown(new Option(`--${name} <${placeholder(flag)}>`, description));
  return reads === "list" || reads === "files" ? [repeatable(option)] : [option];
}

const nounOf = (kind: NamedKind): string => kebab(referenceNouns[kind]).replace(" ", "-");

const negated = (description: string) => `Do not ${lowerFirst(description)}`;

const placeholders: Readonly<Record<FieldFormat, string>> = {
  "unix-time": "time",
  date: "YYYY-MM-DD",
  "date-time": "time",
  duration: "seconds",
  bytes: "bytes",
};

function placeholder({ field, reads }: OperationFlag): string {
  if (field.values && !field.placeholder) return field.values.join("|");
  if (reads === "files") return "path";
  if (reads === "list" && field.items) return `${valuePlaceholder(field.items)},...`;
  return reads === "json" ? "json" : valuePlaceholder(field);
}

function valuePlaceholder(field: Field): string {
  if (field.placeholder) return field.placeholder;
  if (field.format) return placeholders[field.format];
  const kind = namedKindOf(field);
  if (kind !== undefined) return nounOf(kind);
  if (takesDepartment(field)) return "department";
  if (field.refersTo) return "id";
  return field.kind === "string" ? "text" : "n";
}

function describeFlag({ path, field, reads }: OperationFlag): string {
  if (reads === "files")
    return `Attach a file, - for stdin, or the video at a URL; can be repeated${field.required ? " (required)" : ""}`;
  const values = field.placeholder ? field.values : undefined;
  const text = `${withValues(field, field.items?.values ?? values)}${field.periodEnd ? ", or on this day" : ""}`;
  if (field.required && path.length === 1 && reads !== "secret") return `${text} (required)`;
  return field.default === undefined || field.kind === "boolean" ? text : `${text} (default ${String(field.default)})`;
}

export const describeArgument = (field: Field): string =>
  withValues(field, field.explanations ? undefined : field.values);

const withValues = (field: Field, values: readonly string[] | undefined): string =>
  [describeField(ownDescription(field), field.explanations), values?.join(", ")].filter(Boolean).join(": ");

function ownDescription(field: Field): string | undefined {
  const kind = namedKindOf(field);
  if (takesChoices(field))
    return "Choices to vote for, by text or ID; a number is an ID, so use --title for a text of digits";
  if (field.description !== undefined || kind === undefined) return field.description ?? describeReference(field);
  return describeNamed(kind, field.kind === "array" ? "s" : "");
}

export function describeNamed(kind: NamedKind, plural = ""): string {
  return `${capitalize(referenceNouns[kind])}${plural}, by ${waysToName[kind]}`;
}

export const waysToName: Readonly<Record<NamedKind, string>> = {
  users: "name, e-mail address, reference or ID, or me",
  units: "name, reference or ID",
  usertypes: "name, reference or ID",
  groups: "name or ID",
  webhooks: "name or ID",
  tokens: "name or ID",
  events: "title or ID",
  posts: "title or ID",
  conversations: "title or ID",
};

/** Returns true when the operation changes data and so supports a dry run. */
export const mutates = (op: AnyOperation): boolean => op.method !== "GET";
