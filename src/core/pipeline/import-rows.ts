import type { z } from "zod";
import { type Issues, tryParse, validFields } from "../../contract/parse-input.ts";
import type { importResult } from "../../contract/user-schemas.ts";
import { inTurns } from "./event-loop-turns.ts";

type ImportResult = z.infer<ReturnType<typeof importResult>>;
type RowResult = ImportResult["results"][number];
export type FieldChange = NonNullable<RowResult["changes"]>[number];

type ParsedRow<T> =
  | { readonly index: number; readonly row: T }
  | { readonly index: number; readonly wrong: Issues; readonly valid: Readonly<Record<string, unknown>> };

/** Rows parsed in one turn of the event loop. */
const rowsAtOnce = 200;

/** Parses rows. Of a wrong one, returns the valid fields, too. */
export async function parseRows<S extends z.ZodObject>(
  schema: S,
  rows: readonly unknown[],
): Promise<ParsedRow<z.infer<S>>[]> {
  const parsed: ParsedRow<z.infer<S>>[] = [];
  for await (const some of inTurns(rows, rowsAtOnce)) {
    for (const row of some) {
      const result = tryParse(schema, row);
      const index = parsed.length;
      parsed.push(result.ok ? { index, row: result.value } : { index, wrong: result, valid: validFields(schema, row) });
    }
  }
  return parsed;
}

/** Collects the results of an import, in the order of its rows. */
export function collectResults(rows: readonly Record<string, unknown>[]) {
  const list: RowResult[] = rows.map(({ reference }) => ({
    action: "skipped",
    id: null,
    reference: typeof reference === "string" && reference !== "" ? reference : null,
  }));
  // There is a result for each row.
  const set = (index: number, values: object) => Object.assign(list[index]!, values);
  return {
    list,
    skip: (index: number, { fields, issues }: Issues) => set(index, { fields: { ...fields }, issues }),
    done: (index: number, action: RowResult["action"], id: number | null, changes?: readonly FieldChange[]) =>
      set(index, { action, id, ...(changes && { changes }) }),
    changed: () => list.flatMap(({ action, id }) => (id !== null && action === "changed" ? id : [])),
    markDeactivated: (index: number) => set(index, { deactivated: true }),
  };
}
