import { ServiceError } from "../../contract/errors.ts";
import { quoteForShell } from "../../contract/shell-quote.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import { type ColumnMapping, columnKey } from "./column-mapping.ts";
import { hintOfJson } from "./file-format.ts";
import type { Table } from "./file-rows.ts";

/** The fields of the columns of a file, in the order of the columns; "" for those that are left out. */
type HeaderFields = readonly string[];

/** Returns the field of each column. Without a mapping, every column must be named like a field. */
export function readHeader(cells: readonly string[], table: Table, label: string, mapping: ColumnMapping | undefined) {
  const names = cells.map((cell) => cell.trim());
  if (mapping === undefined) requireKnown(names, table, label);
  const fields = names.map((name) => (mapping ? mapping.fieldOf(name) : fieldNamed(name, table)) ?? "");
  requireOnce(names, fields, table, label);
  if (mapping !== undefined) requireFit(names, fields, label, mapping);
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

function requireOnce(names: readonly string[], fields: HeaderFields, table: Table, label: string): void {
  for (const [at, field] of fields.entries()) {
    const first = fields.indexOf(field);
    if (field === "" || first === at) continue;
    const [one = "", other = ""] = [names[first], names[at]];
    if (columnKey(one) === columnKey(other)) throw refusedHeader(`${label}: duplicate column ${one}.`, table);
    throw new UsageError(`${label}: the columns '${one}' and '${other}' both give the field ${field}`, {
      hint: `leave one out with --map ${quoteForShell(`${columnKey(one) === field ? one : other}=`)}`,
    });
  }
}

/** Throws when the file lacks a mapped column, or has a column for a field that has the same value in all rows. */
function requireFit(names: readonly string[], fields: HeaderFields, label: string, { mapped, values }: ColumnMapping) {
  const keys = new Set(names.map(columnKey));
  const absent = mapped.filter(({ column }) => !keys.has(columnKey(column)));
  if (absent.length > 0) {
    const listed = absent.map(({ column, field }) => `'${column}' (mapped to ${field})`).join(", ");
    throw new UsageError(`${label} has no column ${listed}`, { hint: `its columns are ${quoted(names)}` });
  }
  const at = fields.findIndex((field) => field !== "" && field in values);
  if (at < 0) return;
  throw new UsageError(`${label}: the column '${names[at]}' gives the field ${fields[at]}, which --set gives as well`, {
    hint: `leave the column out with --map ${quoteForShell(`${names[at]}=`)}`,
  });
}
