import type { z } from "zod";
import type { FieldErrors, ServiceError } from "../contract/errors.ts";
import { parse } from "../contract/input.ts";
import type { importResult } from "../contract/user-forms.ts";

export type ImportResult = z.infer<ReturnType<typeof importResult>>;
export type RowResult = ImportResult["results"][number];

/** A row that is good by itself, or what is wrong with it. */
export type ParsedRow<T> =
  | { readonly index: number; readonly row: T }
  | { readonly index: number; readonly fields: FieldErrors };

export function parseRows<S extends z.ZodType>(schema: S, rows: readonly unknown[]): ParsedRow<z.infer<S>>[] {
  return rows.map((row, index) => {
    try {
      return { index, row: parse(schema, row) };
    } catch (error) {
      return { index, fields: { ...(error as ServiceError).fields } };
    }
  });
}

/** The results of an import, in the order of its rows. */
export function results(rows: readonly Record<string, unknown>[]) {
  const list: RowResult[] = rows.map(({ reference }) => ({
    action: "left out",
    id: null,
    reference: typeof reference === "string" && reference !== "" ? reference : null,
  }));
  return {
    list,
    leaveOut(index: number, fields: FieldErrors): void {
      list[index]!.fields = fields;
    },
    done(index: number, action: RowResult["action"], id: number | null): void {
      Object.assign(list[index]!, { action, id });
    },
  };
}
