import type { CompiledQuery, Kysely } from "kysely";
import type { Schema } from "./schema/schema.ts";

class Parameter {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
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
    return (await db.executeQuery<R>({ ...query, parameters })).rows;
  };
}
