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
  const fields = fieldsByColumn(spec, table);
  checkValues(spec, table);
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
        const other = columnOf.get(field) ?? (field in spec.values ? "--set" : undefined);
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

/** Returns the fields by the keys of their columns: those of the mapping and those that are named like a field. */
function fieldsByColumn({ columns }: MappingSpec, table: Table): Map<string, string> {
  const given = new Map<string, MappedColumn>();
  const columnOf = new Map<string, string>();
  for (const each of columns) {
    const { column, field } = each;
    if (field !== "") requireField(field, table, `column '${column}' cannot be mapped`);
    const same = given.get(columnKey(column));
    if (same !== undefined && same.field !== field) {
      const named = [same.field, field].map((name) => name || "nothing");
      throw new UsageError(`column '${column}' is mapped to ${named.join(" and to ")}; map it to one field`);
    }
    const other = columnOf.get(field);
    if (field !== "" && other !== undefined && columnKey(other) !== columnKey(column))
      throw new UsageError(`columns '${other}' and '${column}' are both mapped to ${field}; map only one of them`);
    columnOf.set(field, column);
    given.set(columnKey(column), each);
  }
  const named = table.columns.map((name) => [columnKey(name), name] as const);
  return new Map([...named, ...[...given].map(([key, { field }]) => [key, field] as const)]);
}

function checkValues({ columns, values }: MappingSpec, table: Table): void {
  for (const field of Object.keys(values)) {
    requireField(field, table, "it cannot be set");
    if (table.keys.includes(field))
      throw new UsageError(`the field ${field} identifies a row, so it cannot be set to one value for all rows`);
    const mapped = columns.find((each) => each.field === field);
    if (mapped !== undefined)
      throw new UsageError(
        `the field ${field} is mapped from column '${mapped.column}' and also set to one value; choose one`,
      );
  }
}

function requireField(field: string, { name, columns }: Table, what: string): void {
  if (columns.includes(field)) return;
  const meant = suggestName(field, columns);
  throw new UsageError(`${name} have no field '${field}', so ${what}${meant ? ` (did you mean '${meant}'?)` : ""}`, {
    hint: `fields are ${columns.join(", ")}`,
  });
}
