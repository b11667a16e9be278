import type { z } from "zod";
import { shape } from "../../contract/shape.ts";

/** What a file of rows may hold: the fields of a row of the contract, as columns. */
export interface Table {
  readonly name: "users" | "units";
  readonly columns: readonly string[];
  /** Columns that no file can do without. */
  readonly required: readonly string[];
}

/** The table of an import whose rows have this schema. */
export function tableOf(name: Table["name"], row: z.ZodType): Table {
  const fields = shape("", row).fields ?? [];
  return {
    name,
    columns: fields.map((field) => field.name),
    required: fields.filter((field) => field.required).map((field) => field.name),
  };
}
