import type { z } from "zod";
import { type Issue, messageOf } from "../../contract/issue-messages.ts";
import { type Issues, tryParse } from "../../contract/parse-input.ts";
import type { importResult } from "../../contract/user-schemas.ts";

type ImportResult = z.infer<ReturnType<typeof importResult>>;
type RowResult = ImportResult["results"][number];

type ParsedRow<T> = { readonly index: number; readonly row: T } | { readonly index: number; readonly wrong: Issues };

export function parseRows<S extends z.ZodType>(schema: S, rows: readonly unknown[]): ParsedRow<z.infer<S>>[] {
  return rows.map((row, index) => {
    const result = tryParse(schema, row);
    return result.ok ? { index, row: result.value } : { index, wrong: result };
  });
}

type Cause = Omit<Issue, "field">;

/** Collects the issues of a row that only the database shows. A later issue of a field replaces the earlier ones. */
export class RowIssues {
  readonly #found = new Map<string, Cause[]>();

  get isEmpty(): boolean {
    return this.#found.size === 0;
  }

  has(field: string): boolean {
    return this.#found.has(field);
  }

  set(field: string, ...causes: readonly Cause[]): void {
    this.#found.set(field, [...causes]);
  }

  add(field: string, cause: Cause): void {
    this.#found.set(field, [...(this.#found.get(field) ?? []), cause]);
  }

  all(): Issues {
    const found = [...this.#found];
    return {
      fields: Object.fromEntries(found.map(([field, causes]) => [field, causes.map(messageOf)])),
      issues: found.flatMap(([field, causes]) => causes.map((cause) => ({ field, ...cause }))),
    };
  }
}

/** Collects the results of an import, in the order of its rows. */
export function results(rows: readonly Record<string, unknown>[]) {
  const list: RowResult[] = rows.map(({ reference }) => ({
    action: "skipped",
    id: null,
    reference: typeof reference === "string" && reference !== "" ? reference : null,
  }));
  // Indexes are those of the rows, each of which has a result.
  const set = (index: number, values: object) => Object.assign(list[index]!, values);
  return {
    list,
    skip: (index: number, { fields, issues }: Issues) => set(index, { fields: { ...fields }, issues }),
    done: (index: number, action: RowResult["action"], id: number | null) => set(index, { action, id }),
    markDeactivated: (index: number) => set(index, { deactivated: true }),
  };
}
