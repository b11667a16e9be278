import { CompiledQuery, sql } from "kysely";
import type { Db } from "../database.ts";
import { isPostgres } from "../dialect.ts";
import type { StoredRow, StoredValue } from "../insert-by-copy.ts";
import type { CatalogueTable } from "./table-catalogue.ts";

/** Number of rows in the first batch and in any batch at most. */
const firstBatch = 32;
const maxBatchRows = 5000;
/** Approximate bytes of a batch, so that large rows such as those of files do not fill the memory. */
const batchBytes = 2_000_000;

/** Yields all rows of a table in batches of limited size. Must run on a single connection in a transaction. */
export async function* readTableRows(db: Db, table: CatalogueTable): AsyncGenerator<StoredRow[]> {
  const next = isPostgres(db) ? await openCursor(db, table) : pageThrough(db, table);
  let coming = next(firstBatch);
  for (;;) {
    const rows = await coming;
    if (rows.length === 0) break;
    // The database reads while the caller works. An error is thrown at the next turn.
    coming = next(nextSize(rows));
    coming.catch(() => {});
    yield rows;
  }
  if (isPostgres(db)) await sql`close copied_rows`.execute(db);
}

type NextBatch = (size: number) => Promise<StoredRow[]>;

async function openCursor(db: Db, { name, columns, order }: CatalogueTable): Promise<NextBatch> {
  const ordered = order.length > 0 ? sql`order by ${sql.join(order.map((column) => sql.id(column)))}` : sql``;
  const query = sql`select ${sql.join(columns.map((column) => sql.id(column)))} from ${sql.table(name)} ${ordered}`;
  await sql`declare copied_rows no scroll cursor for ${query}`.execute(db);
  return async (size) => (await sql<StoredRow>`fetch ${sql.lit(size)} from copied_rows`.execute(db)).rows;
}

/** Continues each batch after the last row of the one before, because a stream would occupy the connection. */
function pageThrough(db: Db, { name, columns, order }: CatalogueTable): NextBatch {
  const quoted = (names: readonly string[]) => names.map((column) => `"${column}"`).join(", ");
  const keys = quoted(order);
  // SQLite would give the ROWID the name of the column that is an alias of it.
  const named = order.map((column) => `"${column}" as "${column}"`).join(", ");
  const after = `where (${keys}) > (${order.map(() => "?").join(", ")})`;
  const run = async (selected: string, last: readonly StoredValue[], size: number) => {
    const text = `select ${selected} from ${quoted([name])} ${last.length > 0 ? after : ""} order by ${keys} limit ?`;
    return (await db.executeQuery<StoredRow>(CompiledQuery.raw(text, [...last, size]))).rows;
  };
  let last: StoredValue[] = [];
  return async (size) => {
    const rows = await run(quoted(columns), last, size);
    const isHidden = !order.every((column) => columns.includes(column));
    // Removing the ROWID from each row would make V8 handle the rows slowly.
    const ends = isHidden && rows.length > 0 ? await run(named, last, rows.length) : rows;
    const end = ends.at(-1);
    if (end !== undefined) last = order.map((column) => end[column] ?? null);
    return rows;
  };
}

function nextSize(rows: readonly StoredRow[]): number {
  let bytes = 0;
  for (const row of rows) {
    for (const column in row) {
      const value = row[column];
      bytes += typeof value === "string" || value instanceof Uint8Array ? value.length : 8;
    }
  }
  const size = Math.floor((batchBytes * rows.length) / bytes);
  // Later rows may be larger, so the size only doubles.
  return Math.max(1, Math.min(size, 2 * rows.length, maxBatchRows));
}
