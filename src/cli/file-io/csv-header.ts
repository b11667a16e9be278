import { ServiceError } from "../../contract/errors.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import { type ColumnMapping, columnKey, findContradiction, valueSources } from "./column-mapping.ts";
import { hintOfJson } from "./file-format.ts";
import type { Table } from "./file-rows.ts";

/** Returns the field of each column, "" for those that are left out. Without a mapping, every column must be named like a field. */
export function readHeader(cells: readonly string[], table: Table, label: string, mapping: ColumnMapping | undefined) {
  const names = cells.map((cell) => cell.trim());
  if (mapping === undefined) requireKnown(names, table, label);
  const fields = names.map((name) => (mapping ? mapping.fieldOf(name) : fieldNamed(name, table)) ?? "");
  if (mapping !== undefined) requireMapped(names, label, mapping);
  const sources = fields.map((field, at) => [field, `column '${names[at]}'`] as const);
  requireOnce([...sources, ...valueSources(mapping?.values ?? {})], label, table, mapping !== undefined);
  const missing = table.required.filter((name) => !fields.includes(name) && !(mapping && name in mapping.values));
  if (missing.length > 0) {
    const noun = missing.length > 1 ? "columns" : "column";
    throw refusedHeader(`${label}: missing ${noun} ${missing.join(", ")}.`, table, mapping && names);
  }
  for (const name of names) mapping?.see(name);
  return fields;
}

/** Creates the error for a wrong header, with the columns of the table or, with a mapping, those of the file. */
export function refusedHeader(message: string, { columns, required }: Table, found?: readonly string[]): ServiceError {
  const expected = `Columns are ${columns.map((name) => (required.includes(name) ? `${name}*` : name)).join(", ")} (* required).`;
  const hint = found && `The file has the columns ${quoted(found)}. Map one with --map 'Column=field'.`;
  return new ServiceError("validation_failed", message, { hint: hint ?? expected });
}

const quoted = (names: readonly string[]) => names.map((name) => `'${name}'`).join(", ");

const fieldNamed = (column: string, { columns }: Table) =>
  columns.find((name) => columnKey(name) === columnKey(column));

function requireKnown(names: readonly string[], table: Table, label: string): void {
  const unknown = names.filter((name) => fieldNamed(name, table) === undefined);
  if (unknown.length === 0) return;
  const hint = hintOfJson(names);
  if (hint !== undefined)
    throw new ServiceError("validation_failed", `${label}: the first line names no columns.`, { hint });
  const [first = ""] = unknown;
  const meant = suggestName(first, table.columns);
  const suggestion = meant ? ` (did you mean '${meant}'?)` : "";
  throw refusedHeader(`${label}: ${table.name} have no column ${quoted(unknown)}${suggestion}.`, table);
}

/** Throws when a field has several columns, or a column and --set. */
function requireOnce(sources: readonly (readonly [string, string])[], label: string, table: Table, isMapped: boolean) {
  const contradiction = findContradiction(sources);
  if (contradiction === undefined) return;
  if (!isMapped) throw refusedHeader(`${label}: ${contradiction}.`, table);
  throw new UsageError(`${label}: ${contradiction}`, {
    hint: "leave a column out with --map 'Column=', or remove it from the file",
  });
}

/** Throws when the file lacks a mapped column. */
function requireMapped(names: readonly string[], label: string, { mapped }: ColumnMapping): void {
  const keys = new Set(names.map(columnKey));
  const absent = mapped.filter(({ column }) => !keys.has(columnKey(column)));
  if (absent.length === 0) return;
  const listed = absent.map(({ column, field }) => `'${column}' (mapped to ${field})`).join(", ");
  throw new UsageError(`${label} has no column ${listed}`, { hint: `its columns are ${quoted(names)}` });
}
