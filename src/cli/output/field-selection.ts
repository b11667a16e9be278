import type { z } from "zod";
import type { FieldFormat } from "../../contract/field-metadata.ts";
import { type Field, fieldOf } from "../../contract/field-spec.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { isRecord } from "../../contract/parse-json.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import type { Item } from "./item.ts";

/** Returns the value at a path like `unit.name`. For a list, returns the values of its items. */
export function pick(value: unknown, path: readonly string[]): unknown {
  if (path.length === 0 || value === null || value === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => pick(item, path));
  const item = value as Item;
  // Keys of settings contain dots.
  const whole = path.join(".");
  if (Object.hasOwn(item, whole)) return item[whole];
  const [name = "", ...rest] = path;
  return Object.hasOwn(item, name) ? pick(item[name], rest) : undefined;
}

/** Returns the item with only these fields, nested as before. */
export function select(item: Item, paths: readonly string[]): Item {
  const selected: Item = {};
  for (const path of paths) merge(selected, item, path.split("."));
  return selected;
}

function merge(into: Item, from: Item, path: readonly string[]): void {
  const [name = "", ...rest] = path;
  const whole = path.join(".");
  if (Object.hasOwn(from, whole)) into[whole] = from[whole];
  else if (!Object.hasOwn(from, name)) into[whole] = null;
  else if (Array.isArray(from[name])) {
    const before = into[name] as Item[] | undefined;
    into[name] = (from[name] as Item[]).map((item, at) => {
      const part = before?.[at] ?? {};
      merge(part, item, rest);
      return part;
    });
  } else if (typeof from[name] !== "object" || from[name] === null) into[name] = from[name];
  else {
    into[name] ??= {};
    merge(into[name] as Item, from[name] as Item, rest);
  }
}

/** A field that --fields can name, with those within it. */
export interface KnownField extends Pick<Field, "name" | "kind"> {
  readonly fields?: readonly KnownField[] | undefined;
  readonly items?: Pick<KnownField, "kind" | "fields"> | undefined;
}

/** Returns an item with the fields of all items. */
export function fieldsOfAll(items: readonly object[]): Item {
  const all: Item = {};
  // As arguments of one call, very many items would overflow the stack.
  for (const item of items) Object.assign(all, item);
  return all;
}

/** Returns the fields of a sample. What is within null, and within an empty list, is not known. */
export function fieldsIn(sample: object): readonly KnownField[] {
  return Object.entries(sample).map(([name, value]) => {
    const isEmpty = Array.isArray(value) && value.length === 0;
    const inner: unknown = Array.isArray(value) && isRecord(value[0]) ? fieldsOfAll(value) : value;
    if (isEmpty || inner === null || inner === undefined) return { name, kind: "other" };
    return isRecord(inner) ? { name, kind: "object", fields: fieldsIn(inner) } : { name, kind: "string" };
  });
}

/** Returns the paths in --fields. With `known`, throws a `UsageError` for one that is neither among these nor a `derived` column. */
export function parseFields(
  text: string,
  known: readonly KnownField[] | undefined,
  derived: readonly string[] = [],
): string[] {
  const paths = text
    .split(",")
    .map((path) => path.trim())
    .filter(Boolean);
  if (known) checkFields(paths, known, "--fields", derived);
  if (paths.length === 0)
    throw new UsageError("--fields names no field", { hint: "write fields with commas, as in id,name" });
  return paths;
}

/** Throws a `UsageError` that names the flag for a path that is neither among the `known` fields nor a `derived` column. */
export function checkFields(
  paths: readonly string[],
  known: readonly KnownField[],
  flag: string,
  derived: readonly string[] = [],
): void {
  if (known.length === 0) throw new UsageError(`${flag}: this command prints no fields`);
  for (const path of paths) if (!derived.includes(path)) checkPath(path, known, { flag, derived });
}

function checkPath(
  path: string,
  fields: readonly KnownField[],
  { flag, derived }: { readonly flag: string; readonly derived: readonly string[] },
): void {
  let inner = fields;
  const parts = path.split(".");
  if (fields.some(({ name }) => name === path)) return;
  for (const [depth, part] of parts.entries()) {
    const field: KnownField | undefined = inner.find(({ name }) => name === part);
    if (!field) {
      const names = [...new Set([...inner.map(({ name }) => name), ...(depth === 0 ? derived : [])])];
      const meant = suggestName(part, names);
      const above = parts.slice(0, depth).join(".");
      const within = above && ` in ${above}`;
      const available =
        names.length > 0 ? `available fields${within}: ${names.join(", ")}` : `'${above}' has no fields`;
      const hint = meant ? `did you mean '${[...parts.slice(0, depth), meant].join(".")}'?` : available;
      throw new UsageError(`${flag}: unknown field '${path}'`, { hint });
    }
    if ((field.items ?? field).kind === "other") return;
    inner = (field.items ?? field).fields ?? [];
  }
}

/** Returns the fields of an operation's output; for a list, those of an item. */
export function itemFields(op: AnyOperation): readonly Field[] {
  const output = fieldOf("", op.output() as z.ZodType);
  const inside = [op.list?.items, op.item].filter((name) => name !== undefined).flatMap((name) => name.split("."));
  let field: Field | undefined = output;
  for (const name of inside) field = field?.fields?.find((candidate) => candidate.name === name);
  return field?.items?.fields ?? field?.fields ?? [];
}

/** Returns the paths of the fields that make no sense when they are cut: times, numbers, IDs and states. */
export function uncutPaths(fields: readonly Field[], above = ""): string[] {
  return fields.flatMap((field) => {
    const path = above + field.name;
    const isUncut =
      field.format !== undefined || field.values !== undefined || /^(integer|number|boolean)$/.test(field.kind);
    return isUncut ? [path] : uncutPaths(field.fields ?? [], `${path}.`);
  });
}

export function formatsOf(fields: readonly Field[], above = ""): [path: string, format: FieldFormat][] {
  return fields.flatMap((field) => {
    const path = above + field.name;
    const { format } = field.items ?? field;
    if (format) return [[path, format]];
    return formatsOf(field.fields ?? field.items?.fields ?? [], `${path}.`);
  });
}
