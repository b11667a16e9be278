import type { z } from "zod";
import type { FieldIssues } from "../../contract/errors.ts";
import { type Issues, tryParse, validFields } from "../../contract/parse-input.ts";
import type { importResult } from "../../contract/user-schemas.ts";
import { inTurns } from "./event-loop-turns.ts";
import { describeIssues } from "./field-issues.ts";

type ImportResult = z.infer<ReturnType<typeof importResult>>;
type RowResult = ImportResult["results"][number];
export type FieldChange = NonNullable<RowResult["changes"]>[number];

/** A row, or the valid fields of a wrong one, which are checked, too. */
export interface ParsedRow<T> {
  readonly index: number;
  readonly row: T;
  readonly wrong: Issues | undefined;
}

/** Rows parsed in one turn of the event loop. */
const rowsAtOnce = 200;

/** Parses rows. A wrong one has the values of `empty` for required fields that are wrong. */
export async function parseRows<S extends z.ZodObject>(
  schema: S,
  rows: readonly unknown[],
  empty: z.infer<S>,
): Promise<ParsedRow<z.infer<S>>[]> {
  const parsed: ParsedRow<z.infer<S>>[] = [];
  for await (const some of inTurns(rows, rowsAtOnce)) {
    for (const row of some) {
      const result = tryParse(schema, row);
      const index = parsed.length;
      if (result.ok) parsed.push({ index, row: result.value, wrong: undefined });
      else parsed.push({ index, row: { ...empty, ...validFields(schema, row) }, wrong: result });
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
    /** Skips a row: `found` are its issues that depend on data, `wrong` the others. */
    skip: (index: number, found: FieldIssues, wrong: Issues = describeIssues({})) => {
      const further = Object.entries(found).filter(([field]) => !Object.hasOwn(wrong.fields, field));
      const { fields, issues } = describeIssues(Object.fromEntries(further));
      set(index, { fields: { ...wrong.fields, ...fields }, issues: [...wrong.issues, ...issues] });
    },
    done: (index: number, action: RowResult["action"], id: number | null, changes?: readonly FieldChange[]) =>
      set(index, { action, id, ...(changes && { changes }) }),
    changed: () => list.flatMap(({ action, id }) => (id !== null && action === "changed" ? id : [])),
    markDeactivated: (index: number) => set(index, { deactivated: true }),
  };
}
