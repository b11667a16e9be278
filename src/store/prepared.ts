import { type CompiledQuery, type Kysely, SqliteAdapter } from "kysely";
import type { Schema } from "./schema/schema.ts";

class Parameter {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/**
 * The adapter of a database whose only connection runs statements at once. Prepared queries use it directly, because passing
 * through Kysely's queue for connections takes longer than SQLite takes to answer.
 */
export class ImmediateAdapter extends SqliteAdapter {
  readonly run: (sql: string, parameters: readonly unknown[]) => unknown[];

  constructor(run: ImmediateAdapter["run"]) {
    super();
    this.run = run;
  }
}

/**
 * Returns a query that is compiled once for each database, because compiling takes longer than SQLite takes to answer.
 * `build` receives placeholders for the values of a run.
 */
export function prepared<P extends object, R>(
  build: (db: Kysely<Schema>, parameters: P) => { compile(db: Kysely<Schema>): CompiledQuery<R> },
): (db: Kysely<Schema>, values: P) => Promise<R[]> {
  const placeholders = new Proxy({} as P, { get: (_, name) => new Parameter(String(name)) });
  const compiled = new WeakMap<object, CompiledQuery<R>>();
  return async (db, values) => {
    const { adapter } = db.getExecutor();
    let query = compiled.get(adapter);
    if (query === undefined) {
      query = build(db, placeholders).compile(db);
      compiled.set(adapter, query);
    }
    const parameters = query.parameters.map((each) =>
      each instanceof Parameter ? values[each.name as keyof P] : each,
    );
    if (adapter instanceof ImmediateAdapter) return adapter.run(query.sql, parameters) as R[];
    return (await db.executeQuery<R>({ ...query, parameters })).rows;
  };
}
