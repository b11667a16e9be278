import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import type { FileRow, Table } from "./file-rows.ts";

/** The column of a file and its field, which is empty for a column that is left out. */
export type MappedColumn = Readonly<Record<"column" | "field", string>>;

export interface MappingSpec {
  readonly columns: readonly MappedColumn[];
  readonly values: Readonly<Record<string, string>>;
}

export type ColumnMapping = ReturnType<typeof createMapping>;

/** Columns that a report names at most: objects of a file may have any number. */
const maxNamed = 100;

/** Normalizes the name of a column for comparison: spaces around it and case do not matter. */
export const columnKey = (name: string): string => name.trim().normalize("NFC").toLowerCase();

/** Assigns the columns of a file to fields, also those named like one. Throws a `UsageError` for a contradiction or an unknown field. */
export function createMapping(spec: MappingSpec, table: Table) {
  checkValues(spec, table);
  const fields = fieldsByColumn(spec, table);
  const seen = new Map<string, string>();
  const found = new Set(Object.keys(spec.values));
  /** Returns the field of a column; "" when it is left out, undefined when there is none. */
  const fieldOf = (column: string) => fields.get(columnKey(column));
  /** Remembers a column of the file, for the report. */
  const see = (column: string): void => {
    const field = fieldOf(column);
    if (field !== undefined) found.add(field);
    else if (seen.size < maxNamed) seen.set(columnKey(column), column.trim());
  };
  return {
    /** Values of fields that are the same in all rows. */
    values: spec.values,
    mapped: spec.columns.filter(({ field }) => field !== ""),
    fieldOf,
    see,
    /** Returns the row of an object of a file with its fields, or the columns that give the same field. */
    rowOf(object: FileRow): { row: FileRow } | { fields: Record<string, string[]> } {
      const row: Record<string, unknown> = { ...spec.values };
      const columnOf = new Map<string, string>();
      for (const [column, value] of Object.entries(object)) {
        see(column);
        const field = fieldOf(column);
        if (!field) continue;
        const other = columnOf.get(field) ?? (field in spec.values ? valueSource : undefined);
        if (other !== undefined) return { fields: { [field]: [`is given twice: by ${other} and by ${column}`] } };
        columnOf.set(field, column);
        row[field] = value;
      }
      return { row };
    },
    /** Returns the columns without a field and the fields without a column. */
    report: () => ({
      unmapped_columns: [...seen.values()],
      fields_without_column: table.columns.filter((field) => !found.has(field)),
    }),
  };
}

/** Returns a sentence about the first field that has several sources; undefined when each has one. */
export function findContradiction(sources: readonly (readonly [field: string, source: string])[]): string | undefined {
  const first = new Map<string, string>();
  for (const [field, source] of sources) {
    const other = first.get(field);
    if (other !== undefined) return `the field ${field} is given by ${other} and by ${source}`;
    if (field !== "") first.set(field, source);
  }
  return undefined;
}

/** They come from --set, or from the file of --mapping. */
const valueSource = "one value for all rows";
export const valueSources = (values: MappingSpec["values"]) =>
  Object.keys(values).map((field) => [field, valueSource] as const);

/** Returns the fields by the keys of their columns: those of the mapping and those that are named like a field. */
function fieldsByColumn({ columns, values }: MappingSpec, table: Table): Map<string, string> {
  const given = new Map<string, MappedColumn>();
  for (const each of columns) {
    const { column, field } = each;
    if (field !== "") requireField(field, table, `column '${column}' cannot be mapped`);
    const same = given.get(columnKey(column));
    if (same !== undefined && same.field !== field)
      throw new UsageError(`column '${column}' is mapped to '${same.field}' and to '${field}'; map it to one field`);
    given.set(columnKey(column), each);
  }
  const mapped = [...given.values()].map(({ column, field }) => [field, `column '${column}'`] as const);
  const contradiction = findContradiction([...mapped, ...valueSources(values)]);
  if (contradiction !== undefined) throw new UsageError(`${contradiction}; choose one`);
  const named = table.columns.map((name) => [columnKey(name), name] as const);
  return new Map([...named, ...[...given].map(([key, { field }]) => [key, field] as const)]);
}

function checkValues({ values }: MappingSpec, table: Table): void {
  for (const field of Object.keys(values)) {
    requireField(field, table, "it cannot be set");
    if (table.keys.includes(field))
      throw new UsageError(`the field ${field} identifies a row, so it cannot be set to one value for all rows`);
  }
}

function requireField(field: string, { name, columns }: Table, what: string): void {
  if (columns.includes(field)) return;
  const meant = suggestName(field, columns);
  throw new UsageError(`${name} have no field '${field}', so ${what}${meant ? ` (did you mean '${meant}'?)` : ""}`, {
    hint: `fields are ${columns.join(", ")}`,
  });
}
