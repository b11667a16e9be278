import type { FieldErrors } from "../../contract/errors.ts";

export type FileRow = Readonly<Record<string, unknown>>;

/** A row of a file, or its errors by field. Errors about the whole row are under `row`. */
export type SourceRow = { readonly line: number; readonly size: number } & (
  | { readonly row: FileRow }
  | { readonly fields: FieldErrors }
);
