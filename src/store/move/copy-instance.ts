import { existsSync } from "node:fs";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { Watch } from "../backup/copy-database.ts";
import { insertRows } from "../bulk.ts";
import type { Database, Db, Tx } from "../database.ts";
import { isPostgres } from "../dialect.ts";
import { insertByCopy, type StoredRow } from "../insert-by-copy.ts";
import { indexMessages } from "../message-words.ts";
import { runMigrations } from "../migrations/run-migrations.ts";
import {
  checkNewDatabase,
  explainNamed,
  isPostgresUrl,
  knownSchemaOf,
  nameTarget,
  openDatabase,
} from "../open-database.ts";
import type { Schema } from "../schema/schema.ts";
import { readTableRows } from "./row-batches.ts";
import { continueSequences, readSequences } from "./sequence-values.ts";
import { suspendIndexes } from "./suspend-indexes.ts";
import { type CatalogueTable, listTables, requireSameColumns } from "./table-catalogue.ts";
import { digestOnPostgres, TableDigest } from "./table-digest.ts";

/** A copy of an instance from one database to another, each the path of a SQLite file or a postgres:// URL. */
interface CopyPlan {
  readonly from: string;
  readonly to: string;
  /** Returns the words under which a message is found. */
  readonly wordsOf: (message: string) => readonly string[];
  readonly watch: Watch;
}

interface CopyResult {
  readonly tables: number;
  readonly rows: number;
  readonly schema: string;
}

/**
 * Copies all rows as they are at the start, while others may write to the source. The target must be empty, and is filled
 * and verified in one transaction: a copy that fails or is killed leaves it empty, so that it can run again. Removes a file
 * that it made when it fails. Keeps secrets as they are stored, so it needs no key. Throws `conflict` when the target is not empty.
 */
export async function copyInstance(plan: CopyPlan): Promise<CopyResult> {
  return fromSource(plan.from, (source) =>
    inSnapshot(source, async (reader) => {
      const schema = await knownSchemaOf({ reader });
      const filled = Promise.withResolvers<Omit<CopyResult, "schema">>();
      const create = async (tx: Tx) => {
        const filling = copyTables(reader, tx, plan).catch(async (error) => {
          throw (await canRead(reader)) ? error : explainNamed(error, plan.from, source);
        });
        filled.resolve(await filling);
      };
      const isNewFile = !isPostgresUrl(plan.to) && !existsSync(plan.to);
      const target = await openDatabase(plan.to, { create, schema }).catch(async (error) => {
        if (isNewFile && existsSync(plan.to)) await removeEmpty(plan.to);
        throw error;
      });
      await target.close();
      return { ...(await filled.promise), schema };
    }),
  );
}

/** Removes an empty database. Its own failure is not reported, since the copy has failed before. */
async function removeEmpty(path: string): Promise<void> {
  const { removeEmptyFile } = await import("../sqlite/wait-until-unused.ts");
  try {
    removeEmptyFile(path);
  } catch {}
}

async function fromSource<T>(from: string, work: (source: Database, schema: string) => Promise<T>): Promise<T> {
  const source = await openDatabase(from, { skipMigration: true });
  try {
    const schema = await knownSchemaOf(source).catch((error) => {
      throw nameTarget(from, source.explain(error));
    });
    return await work(source, schema);
  } catch (error) {
    throw explainNamed(error, from, source);
  } finally {
    await source.close();
  }
}

/** Returns false when the source failed: PostgreSQL answers no query after an error in its transaction. */
const canRead = (reader: Db): Promise<boolean> =>
  sql`select 1`.execute(reader).then(
    () => true,
    () => false,
  );

/** Throws like `copyInstance` before it copies rows. Returns the numbers of rows and tables to copy. */
export async function checkCopy({ from, to }: Pick<CopyPlan, "from" | "to">): Promise<CopyResult> {
  return fromSource(from, async ({ reader }, schema) => {
    const tables = await listTables(reader);
    const create = async (tx: Tx) => requireSameColumns(tables, await listTables(tx));
    await checkNewDatabase(to, { create, schema });
    return { tables: tables.length, rows: total(await countRows(reader, tables)), schema };
  });
}

/** Runs `work` on a connection that sees the database as it was at the first query. */
async function inSnapshot<T>({ reader }: Database, work: (db: Db) => Promise<T>): Promise<T> {
  return reader.connection().execute(async (db) => {
    const begin = isPostgres(db) ? "begin isolation level repeatable read read only" : "begin";
    await sql.raw(begin).execute(db);
    try {
      return await work(db);
    } finally {
      await sql`rollback`.execute(db).catch(() => {});
    }
  });
}

async function copyTables(source: Db, tx: Tx, { watch, wordsOf }: CopyPlan): Promise<Omit<CopyResult, "schema">> {
  // Counting or sorting a large table of the source takes long.
  if (isPostgres(tx)) await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  const tables = await listTables(tx);
  const originals = new Map((await listTables(source)).map((table) => [table.name, table]));
  requireSameColumns([...originals.values()], tables);
  const counts = await countRows(source, tables);
  const step = createStep(counts, watch);
  const restore = await suspendIndexes(tx, () => step(0));
  const digests = new Map<CatalogueTable, TableDigest>();
  for (const table of tables) {
    // requireSameColumns found it.
    const digest = await copyTable(source, originals.get(table.name)!, tx, step);
    if (digest.rows !== counts.get(table.name)) throw differenceError(table);
    digests.set(table, digest);
  }
  await restore();
  await continueSequences(tx, tables, await readSequences(source));
  for (const [table, digest] of digests) await verify(tx, table, digest, step);
  await runMigrations(tx);
  await indexWordsAgain(tx, wordsOf, watch);
  if (isPostgres(tx)) await sql`analyze`.execute(tx);
  return { tables: tables.length, rows: digests.values().reduce((sum, { rows }) => sum + rows, 0) };
}

const total = (counts: ReadonlyMap<unknown, number>): number => counts.values().reduce((sum, count) => sum + count, 0);

type Step = (rows: number) => Promise<void>;

async function countRows(db: Db, tables: readonly CatalogueTable[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(db);
    counts.set(name, rows[0]?.count ?? 0);
  }
  return counts;
}

/** Returns a function that reports progress. Each row is copied and verified, so it counts twice. */
function createStep(counts: ReadonlyMap<string, number>, { signal, progress }: Watch): Step {
  const steps = 2 * total(counts);
  let done = 0;
  return async (rows) => {
    await yieldToEventLoop();
    signal.throwIfAborted();
    done += rows;
    progress(Math.min(1, done / steps));
  };
}

async function copyTable(source: Db, table: CatalogueTable, tx: Tx, step: Step): Promise<TableDigest> {
  const digest = new TableDigest(table);
  // A migration may have added first rows.
  await sql`delete from ${sql.table(table.name)}`.execute(tx);
  let inserting: Promise<void> | undefined;
  for await (const rows of readTableRows(source, table)) {
    digest.add(rows);
    await inserting;
    // PostgreSQL inserts while the next rows are read.
    inserting = insert(tx, table, rows);
    inserting.catch(() => {});
    await step(rows.length);
  }
  await inserting;
  return digest;
}

async function insert(tx: Tx, table: CatalogueTable, rows: readonly StoredRow[]): Promise<void> {
  const { name, columns } = table;
  try {
    if (isPostgres(tx)) await insertByCopy(tx, name, columns, rows);
    // The catalogue of the target has the table.
    else await insertRows(tx, name as keyof Schema, rows);
  } catch (error) {
    // PostgreSQL stores no NUL characters, and smaller integers in some columns.
    if (!/^22/.test(String((error as { code?: unknown }).code))) throw error;
    throw new ServiceError("conflict", `A row of the table ${name} contains a value that the target cannot store.`, {
      cause: error,
    });
  }
}

/** Throws `conflict` unless the table has exactly the rows of the source. */
async function verify(tx: Tx, table: CatalogueTable, expected: TableDigest, step: Step): Promise<void> {
  if (isPostgres(tx)) {
    if ((await digestOnPostgres(tx, table)) !== String(expected)) throw differenceError(table);
    return step(expected.rows);
  }
  const found = new TableDigest(table);
  for await (const rows of readTableRows(tx, table)) {
    found.add(rows);
    await step(rows.length);
  }
  if (String(found) !== String(expected)) throw differenceError(table);
}

const differenceError = ({ name }: CatalogueTable) =>
  new ServiceError("conflict", `The table ${name} differs after the copy, so nothing was copied.`);

/** Builds the search index of messages, which the databases store differently. */
async function indexWordsAgain(tx: Tx, wordsOf: CopyPlan["wordsOf"], { signal }: Watch): Promise<void> {
  const pause = async () => {
    await yieldToEventLoop();
    signal.throwIfAborted();
  };
  const restore = await suspendIndexes(tx, pause, "message_words");
  const columns = ["conversation_id", "deleted_at", "id", "message", "position", "type"];
  const order = [isPostgres(tx) ? "id" : "rowid"];
  for await (const rows of readTableRows(tx, { name: "messages", columns, types: [], order })) {
    await pause();
    const found = rows.filter(({ type, deleted_at }) => type === "normal" && deleted_at === null);
    const entries = found.map(({ id, conversation_id, position, message }) => ({
      message: { id: Number(id), conversation_id: Number(conversation_id), position: Number(position) },
      words: wordsOf(String(message)),
    }));
    await indexMessages(tx, entries);
  }
  await restore();
}
