import type { CompiledQuery, DialectAdapter, Kysely } from "kysely";
import { Parameter } from "./query-parameter.ts";
import type { Schema } from "./schema/schema.ts";

type Run = (sql: string, parameters: readonly unknown[]) => unknown[] | Promise<unknown[]>;

const directly = new WeakMap<object, Run>();

/**
 * Makes prepared queries on databases with this adapter run by `run`, because passing through Kysely's queue for connections
 * takes longer than the database takes to answer. Transactions need an adapter of their own.
 */
export function runDirectly(adapter: DialectAdapter, run: Run): void {
  directly.set(adapter, run);
}

const preparedTexts = new Set<string>();

/** Returns true for the text of a query of `prepared`. */
export const isPrepared = (text: string): boolean => preparedTexts.has(text);

/**
 * Returns a query that is compiled once for each database, because compiling takes longer than SQLite takes to answer.
 * `build` receives placeholders for the values of a run. Runs with lists of one value have a form of their own; see `isAmong`.
 */
export function prepared<P extends object, R>(
  build: (db: Kysely<Schema>, parameters: P) => { compile(db: Kysely<Schema>): CompiledQuery<R> },
): (db: Kysely<Schema>, values: P) => Promise<R[]> {
  /** Names of the parameters that `isAmong` takes, known after the first compilation. */
  const lists = new Set<string>();
  const formOf = (values: P): number => {
    let form = 0;
    let bit = 1;
    for (const name of lists) {
      if ((values[name as keyof P] as readonly unknown[]).length === 1) form |= bit;
      bit <<= 1;
    }
    return form;
  };
  const compiled = new WeakMap<object, Map<number, CompiledQuery<R>>>();
  const compile = (db: Kysely<Schema>, forms: Map<number, CompiledQuery<R>>, values: P): CompiledQuery<R> => {
    const markAsList = (name: string) => {
      lists.add(name);
      return (values[name as keyof P] as readonly unknown[]).length === 1;
    };
    const parameterOf = (_: object, name: string) => new Parameter(name, () => markAsList(name));
    const query = build(db, new Proxy({} as P, { get: parameterOf as never })).compile(db);
    // The first compilation has found the lists, so the form is known only now.
    forms.set(formOf(values), query);
    preparedTexts.add(query.sql);
    return query;
  };
  return async (db, values) => {
    const { adapter, plugins } = db.getExecutor();
    let forms = compiled.get(adapter);
    if (forms === undefined) {
      forms = new Map();
      compiled.set(adapter, forms);
    }
    const query = forms.get(formOf(values)) ?? compile(db, forms, values);
    const parameters = query.parameters.map((each) => (each instanceof Parameter ? each.valueIn(values) : each));
    const run = plugins.length === 0 ? directly.get(adapter) : undefined;
    if (run !== undefined) return run(query.sql, parameters) as R[] | Promise<R[]>;
    return (await db.executeQuery<R>({ ...query, parameters })).rows;
  };
}
