import { CompiledQuery, sql } from "kysely";
import type { Db } from "../database.ts";
import { isPostgres } from "../dialect.ts";
import type { Table } from "./table-catalogue.ts";

/** A stored value as both drivers return it. */
export type StoredValue = string | number | null | Uint8Array;
export type StoredRow = Readonly<Record<string, StoredValue>>;

/** Number of rows in the first batch and in any batch at most. */
const firstBatch = 32;
const largestBatch = 2000;
/** Approximate bytes of a batch, so that large rows such as those of files do not fill the memory. */
const batchBytes = 2_000_000;

/** Yields all rows of a table in batches of limited size. Must run on a single connection in a transaction. */
export async function* readRows(db: Db, table: Table): AsyncGenerator<StoredRow[]> {
  const next = isPostgres(db) ? await openCursor(db, table) : pageThrough(db, table);
  for (let size = firstBatch; ; ) {
    const rows = await next(size);
    if (rows.length === 0) break;
    yield rows;
    size = nextSize(rows);
  }
  if (isPostgres(db)) await sql`close copied_rows`.execute(db);
}

type NextBatch = (size: number) => Promise<StoredRow[]>;

async function openCursor(db: Db, { name, columns, order }: Table): Promise<NextBatch> {
  const ordered = order.length > 0 ? sql`order by ${sql.join(order.map((column) => sql.id(column)))}` : sql``;
  const query = sql`select ${sql.join(columns.map((column) => sql.id(column)))} from ${sql.table(name)} ${ordered}`;
  await sql`declare copied_rows no scroll cursor for ${query}`.execute(db);
  return async (size) => (await sql<StoredRow>`fetch ${sql.lit(size)} from copied_rows`.execute(db)).rows;
}

/** Continues each batch after the last row of the one before, because a stream would occupy the connection. */
function pageThrough(db: Db, { name, columns, order }: Table): NextBatch {
  const list = columns.map((column) => `"${column}"`);
  const keys = order.map((column) => `"${column}"`);
  const aliased = keys.map((key, at) => `${key} as "copied ${at}"`);
  const select = `select ${[...list, ...aliased].join(", ")} from "${name}"`;
  const after = `where (${keys.join(", ")}) > (${keys.map(() => "?").join(", ")})`;
  const end = `order by ${keys.join(", ")} limit ?`;
  let last: StoredValue[] | undefined;
  return async (size) => {
    const text = `${select} ${last === undefined ? "" : after} ${end}`;
    const { rows } = await db.executeQuery<Record<string, StoredValue>>(
      CompiledQuery.raw(text, [...(last ?? []), size]),
    );
    const final = rows.at(-1);
    if (final !== undefined) last = keys.map((_, at) => final[`copied ${at}`] ?? null);
    for (const row of rows) for (const at of keys.keys()) delete row[`copied ${at}`];
    return rows;
  };
}

function nextSize(rows: readonly StoredRow[]): number {
  let bytes = 0;
  for (const row of rows) {
    for (const value of Object.values(row)) bytes += value === null || typeof value === "number" ? 8 : value.length;
  }
  const size = Math.floor((batchBytes * rows.length) / bytes);
  // Later rows may be larger, so the size only doubles.
  return Math.max(1, Math.min(size, 2 * rows.length, largestBatch));
}
