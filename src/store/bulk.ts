import { CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely";
import { isPostgres } from "./dialect.ts";
import type { Schema } from "./schema.ts";

type Cell = string | number | null;

/**
 * Inserts rows of one shape in a single statement with a single parameter, however many they are. With `returning`,
 * those columns of the new rows, in no particular order.
 */
export async function insertRows<R = never>(
  db: Kysely<Schema>,
  table: keyof Schema,
  rows: readonly Record<string, Cell>[],
  returning?: string,
): Promise<R[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = Object.keys(first);
  const into = `insert into ${table} (${columns.join(", ")})`;
  const back = returning === undefined ? "" : ` returning ${returning}`;
  const statement = isPostgres(db)
    ? `${into} select ${columns.join(", ")} from json_populate_recordset(null::${table}, $1)${back}`
    : `${into} select ${columns.map((_, index) => `value ->> ${index}`).join(", ")} from json_each(?) where true${back}`;
  const parameter = isPostgres(db)
    ? JSON.stringify(rows)
    : JSON.stringify(rows.map((row) => columns.map((name) => row[name])));
  return (await db.executeQuery<R>(CompiledQuery.raw(statement, [parameter]))).rows;
}

/** Rows as something to select from, named `alias`, in a single parameter. `types` are PostgreSQL's, by column. */
export function rowsAs<T extends Record<string, Cell>>(
  db: Kysely<Schema>,
  alias: string,
  types: { readonly [K in keyof T & string]: "bigint" | "text" },
  rows: readonly T[],
): RawBuilder<T> {
  const columns = Object.entries(types);
  if (isPostgres(db)) {
    const shape = sql.raw(columns.map(([name, type]) => `${name} ${type}`).join(", "));
    return sql<T>`json_to_recordset(${JSON.stringify(rows)}::json) as ${sql.raw(alias)} (${shape})`;
  }
  const values = sql.raw(columns.map(([name], index) => `value ->> ${index} as ${name}`).join(", "));
  const cells = JSON.stringify(rows.map((row) => columns.map(([name]) => row[name])));
  return sql<T>`(select ${values} from json_each(${cells})) as ${sql.raw(alias)}`;
}
