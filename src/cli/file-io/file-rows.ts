import type { z } from "zod";
import type { FieldErrors } from "../../contract/errors.ts";
import { fieldOf } from "../../contract/field-spec.ts";
import type { importResult } from "../../contract/user-schemas.ts";

/** The columns of a file of rows: the fields of a row in the contract. */
export interface Table {
  readonly name: "users" | "units";
  readonly columns: readonly string[];
  /** Columns that every file must have. */
  readonly required: readonly string[];
  /** Columns that identify a row: no two rows have the same value. */
  readonly keys: readonly string[];
  /** Columns whose texts may have several lines. */
  readonly multiline: readonly string[];
}

export function tableOf(name: Table["name"], row: z.ZodType): Table {
  const fields = fieldOf("", row).fields ?? [];
  return {
    name,
    columns: fields.map((field) => field.name),
    required: fields.filter((field) => field.required).map((field) => field.name),
    keys: fields.map((field) => field.name).filter((each) => each === "reference" || each === "email"),
    multiline: fields.filter((field) => field.multiline).map((field) => field.name),
  };
}

export type FileRow = Readonly<Record<string, unknown>>;

/** A row of a file, or its errors by field. Errors about the whole row are under `row`. */
export type SourceRow = { readonly line: number; readonly size: number } & (
  | { readonly row: FileRow }
  | { readonly fields: FieldErrors }
);

/** The outcome of a row; the service returns those of imports. */
export type Outcome = z.infer<ReturnType<typeof importResult>>["results"][number];

export const skippedRow = (
  fields: FieldErrors | undefined,
  reference: string | null = null,
  issues?: Outcome["issues"],
): Outcome => ({ action: "skipped", id: null, reference, fields, issues });
