import {
  type Insertable,
  type RawBuilder,
  type Selectable,
  type SelectQueryBuilder,
  type SelectType,
  sql,
  type Updateable,
} from "kysely";
import type { Db } from "./database.ts";
import { isPostgres } from "./dialect.ts";
import type { StoredRow, StoredValue } from "./insert-by-copy.ts";
import { runText } from "./prepared.ts";
import type { RowOf, Schema } from "./schema/schema.ts";

type Cell = string | number | null;

type TableWithId = { [T in keyof Schema]: "id" extends keyof Schema[T] ? T : never }[keyof Schema];

/** The number of rows from which COPY is quicker on PostgreSQL, as it sends the command and the rows separately. */
const minCopiedRows = 100;

/**
 * Inserts rows of one shape. Bytes need SQLite. Returns the columns in `returning` of the new rows, in no particular order.
 * After a failure, which must end the transaction, the rows before the wrong one are there on SQLite.
 */
export async function insertRows<T extends keyof Schema, C extends keyof Schema[T] & string = never>(
  db: Db,
  table: T,
  rows: readonly StoredRow[],
  returning: readonly C[] = [],
): Promise<RowOf<T, C>[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = Object.keys(first);
  const back = returningOf(returning);
  if (isPostgres(db)) {
    if (back === "" && rows.length >= minCopiedRows) {
      const { insertByCopy } = await import("./insert-by-copy.ts");
      await insertByCopy(db, table, columns, rows);
      return [];
    }
    const list = columns.join(", ");
    const text = `insert into ${table} (${list}) select ${list} from json_populate_recordset(null::${table}, $1)${back}`;
    return runText(db, text, [JSON.stringify(rows)]);
  }
  // SQLite is fastest with values as parameters, some hundred at a time; few sizes keep prepared statements reusable.
  const made: RowOf<T, C>[] = [];
  for (let at = 0; at < rows.length; ) {
    const size = portions.find((portion) => portion <= rows.length - at) ?? 1;
    const cells = cellsOf(rows.slice(at, at + size), columns);
    for (const each of await runText<RowOf<T, C>>(db, insertion(table, columns, size, back), cells)) made.push(each);
    at += size;
  }
  return made;
}

/** Returns the values of rows, row by row. A function of its own, because V8 does not optimize these loops in an async function. */
function cellsOf(rows: readonly StoredRow[], columns: readonly string[]): StoredValue[] {
  const cells = new Array<StoredValue>(rows.length * columns.length);
  let next = 0;
  for (const row of rows) for (const name of columns) cells[next++] = row[name] ?? null;
  return cells;
}

const portions = [128, 16, 8, 4, 2];
const insertions = new Map<string, string>();

function insertion(table: string, columns: readonly string[], size: number, back: string): string {
  const key = `${table} (${columns.join(", ")}) ${size}${back}`;
  let text = insertions.get(key);
  if (text === undefined) {
    const one = `(${columns.map(() => "?").join(", ")})`;
    // To undo the statement alone after a failure, SQLite would copy each page that it changes.
    text = `insert or fail into ${table} (${columns.join(", ")}) values ${Array(size).fill(one).join(", ")}${back}`;
    insertions.set(key, text);
  }
  return text;
}

type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

export function withoutUndefined<T extends object>(row: T): Given<T> {
  const found: Partial<T> = {};
  for (const name of Object.keys(row) as (keyof T)[]) if (row[name] !== undefined) found[name] = row[name];
  return found as never;
}

/** Inserts a row and returns its ID; columns that are undefined get their defaults. */
export async function insertRow<T extends TableWithId>(db: Db, table: T, row: Insertable<Schema[T]>): Promise<number> {
  const given = withoutUndefined(row) as Record<string, Cell>;
  const [made] = await insertRows<TableWithId, "id">(db, table, [given], ["id"]);
  // RETURNING gives the inserted row.
  return made!.id;
}

/** Changes the columns of the row with that ID, except undefined ones. */
export async function updateRow<T extends TableWithId>(
  db: Db,
  table: T,
  id: number,
  changes: Updateable<Schema[T]>,
): Promise<void> {
  await runUpdate(db, table, { id }, withoutUndefined(changes), (column, value) => `${column} = ${value}`);
}

/** Values of columns that rows have, or lists of them. Null matches missing values. */
type Where<T extends keyof Schema> = {
  readonly [C in keyof Schema[T]]?: SelectType<Schema[T][C]> | readonly SelectType<Schema[T][C]>[];
};

/** Changes the rows with these values. Returns their columns in `returning`. */
export function updateRows<T extends keyof Schema, C extends keyof Schema[T] & string = never>(
  db: Db,
  table: T,
  where: Where<T>,
  changes: Updateable<Schema[T]>,
  returning: readonly C[] = [],
): Promise<RowOf<T, C>[]> {
  return runUpdate(db, table, where, changes, (column, value) => `${column} = ${value}`, returning);
}

/** Deletes the rows with these values. Returns their columns in `returning`. */
export function deleteRows<T extends keyof Schema, C extends keyof Schema[T] & string = never>(
  db: Db,
  table: T,
  where: Where<T>,
  returning: readonly C[] = [],
): Promise<RowOf<T, C>[]> {
  const { text, values } = conditionsOf(db, where, placesIn(db));
  return runText(db, `delete from ${table} where ${text}${returningOf(returning)}`, values);
}

const returningOf = (columns: readonly string[]) => (columns.length > 0 ? ` returning ${columns.join(", ")}` : "");

/** Returns columns of the rows with these values. */
export function findRows<T extends keyof Schema, C extends keyof Schema[T] & string>(
  db: Db,
  table: T,
  where: Where<T>,
  columns: readonly C[],
): Promise<RowOf<T, C>[]> {
  const { text, values } = conditionsOf(db, where, placesIn(db));
  return runText(db, `select ${columns.join(", ")} from ${table} where ${text}`, values);
}

/** Returns columns of the row with these values. */
export async function findRow<T extends keyof Schema, C extends keyof Schema[T] & string>(
  db: Db,
  table: T,
  where: Where<T>,
  columns: readonly C[],
): Promise<RowOf<T, C> | undefined> {
  return (await findRows(db, table, where, columns))[0];
}

function conditionsOf(db: Db, where: object, place: () => string) {
  const isOneOf = isPostgres(db) ? () => `= any(${place()})` : () => `in (select value from json_each(${place()}))`;
  const conditions = Object.entries(where).map(([column, value]) => {
    if (value === null) return `${column} is null`;
    return `${column} ${Array.isArray(value) ? isOneOf() : `= ${place()}`}`;
  });
  return { text: conditions.join(" and "), values: Object.values(where).filter((value) => value !== null) };
}

/** Adds to columns of the rows with these IDs. */
export async function addToRows<T extends TableWithId>(
  db: Db,
  table: T,
  id: number | readonly number[],
  more: { readonly [C in keyof Schema[T]]?: number },
): Promise<void> {
  await runUpdate(db, table, { id }, more, (column, value) => `${column} = ${column} + ${value}`);
}

function runUpdate<R>(
  db: Db,
  table: string,
  where: object,
  changes: object,
  change: (column: string, value: string) => string,
  returning: readonly string[] = [],
): Promise<R[]> {
  const place = placesIn(db);
  const columns = Object.keys(changes).map((column) => change(column, place()));
  const { text, values } = conditionsOf(db, where, place);
  const statement = `update ${table} set ${columns.join(", ")} where ${text}${returningOf(returning)}`;
  return runText(db, statement, [...Object.values(changes), ...values]);
}

/** Changes columns of the rows with these IDs, each to its own values: one statement for all with the same columns. */
export async function updateEach<T extends TableWithId>(
  db: Db,
  table: T,
  rows: readonly ({ readonly id: number } & Updateable<Schema[T]>)[],
): Promise<void> {
  await changeEach(db, table, rows, (column) => `${column} = v.${column}`);
}

/** Adds to columns of the rows with these IDs, to each its own numbers. */
export async function addToEach<T extends TableWithId>(
  db: Db,
  table: T,
  rows: readonly ({ readonly id: number } & { readonly [C in keyof Schema[T]]?: number })[],
): Promise<void> {
  await changeEach(db, table, rows, (column) => `${column} = ${table}.${column} + v.${column}`);
}

async function changeEach(
  db: Db,
  table: TableWithId,
  rows: readonly object[],
  change: (column: string) => string,
): Promise<void> {
  const columnsOf = (row: object) => Object.keys(row).filter((column) => column !== "id");
  for (const [, some] of Map.groupBy(rows, (row) => columnsOf(row).join())) {
    const changes = columnsOf(some[0] ?? {}).map(change);
    const { text, value } = tableOf(db, table, some as readonly StoredRow[]);
    await runText(db, `update ${table} set ${changes.join(", ")} from ${text} v where ${table}.id = v.id`, [value]);
  }
}

/** Deletes the rows that have all values of one of `rows`. */
export async function deleteEach<T extends keyof Schema>(
  db: Db,
  table: T,
  rows: readonly Partial<Selectable<Schema[T]>>[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first).join(", ");
  const { text, value } = tableOf(db, table, rows as readonly StoredRow[]);
  await runText(db, `delete from ${table} where (${columns}) in (select ${columns} from ${text} v)`, [value]);
}

/** Returns rows of one shape as a table expression with a single parameter. */
function tableOf(db: Db, table: keyof Schema, rows: readonly StoredRow[]) {
  if (isPostgres(db)) return { text: `json_populate_recordset(null::${table}, $1)`, value: JSON.stringify(rows) };
  const columns = Object.keys(rows[0] ?? {});
  const values = columns.map((name, index) => `value ->> ${index} as ${name}`).join(", ");
  return {
    text: `(select ${values} from json_each(?))`,
    value: JSON.stringify(rows.map((row) => columns.map((name) => row[name]))),
  };
}

/** Inserts a row with that key or, if there is one, changes its columns. */
export async function upsertRow<T extends keyof Schema>(
  db: Db,
  table: T,
  key: Partial<Selectable<Schema[T]>>,
  changes: Updateable<Schema[T]>,
): Promise<void> {
  const row = { ...key, ...changes };
  const columns = Object.keys(row).join(", ");
  const values = Object.keys(row).map(placesIn(db)).join(", ");
  const change = Object.keys(changes).map((column) => `${column} = excluded.${column}`);
  const conflict = `on conflict (${Object.keys(key).join(", ")}) do update set ${change.join(", ")}`;
  await runText(db, `insert into ${table} (${columns}) values (${values}) ${conflict}`, Object.values(row));
}

export async function countRows<T extends keyof Schema>(query: SelectQueryBuilder<Schema, T, object>): Promise<number> {
  const { count } = await query.select((eb) => eb.fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  return count;
}

/** Returns the largest ID of a table, 0 without rows. */
export async function lastId(db: Db, table: TableWithId): Promise<number> {
  const [row] = await runText<{ id: number | null }>(db, `select max(id) as id from ${table}`, []);
  return row?.id ?? 0;
}

/** Returns a function that returns the placeholders of a statement, one after the other. */
function placesIn(db: Db): () => string {
  let count = 0;
  return () => (isPostgres(db) ? `$${++count}` : "?");
}

/** Returns rows as a table expression, passed in a single parameter. `types` are PostgreSQL types by column. */
export function rowsAs<K extends string>(
  db: Db,
  alias: string,
  types: Readonly<Record<K, "bigint" | "text">>,
  rows: readonly Readonly<Record<NoInfer<K>, Cell>>[],
): RawBuilder<unknown> {
  const columns = Object.entries(types) as [K, string][];
  if (isPostgres(db)) {
    const shape = sql.raw(columns.map(([name, type]) => `${name} ${type}`).join(", "));
    const cells = JSON.stringify(rows, Object.keys(types));
    return sql`json_to_recordset(${cells}::json) as ${sql.raw(alias)} (${shape})`;
  }
  const values = sql.raw(columns.map(([name], index) => `value ->> ${index} as ${name}`).join(", "));
  const cells = JSON.stringify(rows.map((row) => columns.map(([name]) => row[name])));
  return sql`(select ${values} from json_each(${cells})) as ${sql.raw(alias)}`;
}
