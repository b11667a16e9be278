import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Db } from "../../store/database.ts";
import type { Schema } from "../../store/schema/schema.ts";
import { takeTurn } from "./event-loop-turns.ts";

/** Rows of a table that belong to a row of another table, as `post_marks` to a post; without `column`, all rows. */
interface OwnedRows {
  readonly table: keyof Schema;
  readonly column?: string;
  readonly owner?: number;
  /** Column by which an index sorts the rows of an owner. */
  readonly key: string;
}

/** Rows that a statement changes, for up to 20 ms, when no other request can run on SQLite. */
const portion = 4000;

/** Changes rows in portions, the highest keys first: comments before those that they reply to. Reads can run in between. */
export async function inPortions(
  db: Db,
  { table, column, owner, key }: OwnedRows,
  change: (rows: RawBuilder<SqlBool>) => Promise<unknown>,
): Promise<void> {
  const name = sql.ref(key);
  const all = column === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.ref(column)} = ${owner}`;
  let rest = all;
  for (;;) {
    const { rows } = await sql<{ lowest: number }>`select ${name} as lowest from ${sql.table(table)} where ${rest}
      order by ${name} desc limit 1 offset ${portion - 1}`.execute(db);
    const lowest = rows[0]?.lowest;
    await change(lowest === undefined ? rest : sql`${rest} and ${name} >= ${lowest}`);
    if (lowest === undefined) return;
    rest = sql`${all} and ${name} < ${lowest}`;
    await takeTurn();
  }
}

export const deleteInPortions = (db: Db, rows: OwnedRows): Promise<void> =>
  inPortions(db, rows, (some) => sql`delete from ${sql.table(rows.table)} where ${some}`.execute(db));
