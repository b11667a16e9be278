import { type Expression, type Kysely, type RawBuilder, type SelectQueryNode, sql } from "kysely";
import { jsonArrayFrom as fromPostgres } from "kysely/helpers/postgres";
import { jsonArrayFrom as fromSqlite } from "kysely/helpers/sqlite";
import { isPostgres } from "./dialect.ts";

/** Rows in a column; SQLite returns them as text. */
export type Nested<T> = string | readonly T[];

/**
 * Returns the rows of a subquery, which may use columns of the outer query, as one column, so that one statement reads a
 * thing with its parts. Read it with `rowsIn`.
 */
export function nested<T>(
  // biome-ignore lint/suspicious/noExplicitAny: any schema
  db: Kysely<any>,
  query: Expression<T> & { toOperationNode(): SelectQueryNode },
): RawBuilder<Nested<T>> {
  const rows = isPostgres(db) ? fromPostgres(query) : fromSqlite(query as never);
  return sql<Nested<T>>`${rows}`;
}

const none: readonly never[] = [];

export function rowsIn<T>(column: Nested<T>): readonly T[] {
  if (typeof column !== "string") return column;
  return column === "[]" ? none : (JSON.parse(column) as T[]);
}
