import type { z } from "zod";
import { shape } from "../../contract/field-spec.ts";

/** The columns of a file of rows: the fields of a row in the contract. */
export interface Table {
  readonly name: "users" | "units";
  readonly columns: readonly string[];
  /** Columns that every file must have. */
  readonly required: readonly string[];
  /** Columns that identify a row: no two rows have the same value. */
  readonly keys: readonly string[];
}

export function tableOf(name: Table["name"], row: z.ZodType): Table {
  const fields = shape("", row).fields ?? [];
  return {
    name,
    columns: fields.map((field) => field.name),
    required: fields.filter((field) => field.required).map((field) => field.name),
    keys: fields.map((field) => field.name).filter((each) => each === "reference" || each === "email"),
  };
}
