import { type Kysely, sql, type Transaction } from "kysely";
import { ServiceError } from "../contract/errors.ts";
import { hasTable, waitForTurn } from "./dialect.ts";
import { prepared } from "./prepared.ts";
import type { Schema } from "./schema.ts";
import { createSecretCipher, requireKey, type SecretCipher } from "./secret-cipher.ts";
import type { Topic, Wake } from "./topics.ts";

export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;

/** An open database: many readers, and writing transactions that see and change the data as if they were alone. */
export interface Database {
  /** Reads only; never waits for a writing transaction. */
  readonly reader: Db;
  /**
   * Runs `work` in one serializable transaction. It may run again when another transaction got in the way, so it must
   * not have effects outside the transaction.
   */
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Likewise, but transactions may see what others commit meanwhile (READ COMMITTED): for work that locks the rows by which
   * it decides. It never makes a serializable transaction run again.
   */
  writeLocking<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Changes whenever the data may have changed, by whichever process; undefined where that cannot be told cheaply. */
  version(): number | undefined;
  /**
   * Calls `wake` with the topics soon after this or another process announced them, or without any when something may have
   * changed, until the function that it gives back is called. A hint: what was not announced may go unnoticed, and on
   * PostgreSQL a broken connection, too, so look by yourself now and then.
   */
  onChange(wake: Wake): () => void;
  /** Wakes those who listen for changes, in every process. To be called after the commit. */
  announce(topics: readonly Topic[]): void;
  /** Encrypts the secrets that are kept, with the key that the database was opened with. */
  readonly secrets: SecretCipher;
  /** What a failure of the database means to whoever asked, as a `ServiceError`; anything else as it is. */
  explain(error: unknown): unknown;
  close(): Promise<void>;
}

/** A database before it is known how its secrets are kept. */
export type Connected = Omit<Database, "secrets">;

export interface OpenOptions {
  /** Makes a new database and fills it, all in one transaction; an existing one is a `conflict` and stays as it is. */
  readonly create?: (tx: Tx, secrets: SecretCipher) => Promise<void>;
  /** 32 bytes: encrypts the secrets. A `SecretKeyError` when those that are there were encrypted with another one. */
  readonly secretKey?: Uint8Array | undefined;
  /** Leaves the schema as it is: older than this program knows it, newer, or none at all. */
  readonly asItIs?: true;
}

export function isPostgresUrl(target: string): boolean {
  return /^postgres(ql)?:\/\//.test(target);
}

/** Opens a database by the path of a SQLite file or a postgres:// URL, and brings its schema up to date. */
export async function openDatabase(target: string, options: OpenOptions = {}): Promise<Database> {
  const { connect } = isPostgresUrl(target) ? await import("./postgres.ts") : await import("./sqlite.ts");
  const database = { ...(await connect(target, options)), secrets: createSecretCipher(options.secretKey) };
  try {
    if (!options.asItIs) {
      await prepareSchema(database, options.create);
      const instance = await secretKeyId(database.reader, {});
      if (instance[0]?.secret_key_id) requireKey(instance[0].secret_key_id, database.secrets.keyId);
    }
  } catch (error) {
    await database.close();
    throw database.explain(error);
  }
  return database;
}

const secretKeyId = prepared((db) => db.selectFrom("instance").select("secret_key_id"));

/** The last migration that this program knows; bump it with each new one. */
export const latestMigration = "0010-sign-in-limits";

/** Names the lock of whoever makes or migrates a database. */
const migrationLock = 0x7763736d;

/** The last migration that the database went through; one that went through none is a `not_found`. */
export async function schemaOf(database: Database): Promise<string> {
  const applied = await appliedTo(database);
  if (applied === undefined) throw noInstance();
  return applied;
}

const noInstance = () => new ServiceError("not_found", "The database holds no wcs instance; make one with wcs init.");

const isNewer = () =>
  new ServiceError("conflict", "The database belongs to a newer version of wcs; update wcs to use it.");

async function prepareSchema(database: Database, create: OpenOptions["create"]): Promise<void> {
  const applied = await appliedTo(database);
  if (create && applied !== undefined) {
    throw new ServiceError("conflict", "The database exists already; it was left as it is.");
  }
  if (applied === latestMigration) return;
  if (applied !== undefined && applied > latestMigration) throw isNewer();
  if (applied === undefined && !create) throw noInstance();
  const { migrate } = await import("./migrate.ts");
  // What the first of several has done while the others waited has to be seen by them.
  await database.writeLocking(async (tx) => {
    await waitForTurn(tx, migrationLock);
    if (create && (await hasTable(tx, "kysely_migration"))) {
      throw new ServiceError("conflict", "The database was made by another process at the same time.");
    }
    await migrate(tx);
    await create?.(tx, database.secrets);
  });
}

/**
 * Brings a database that was opened as it is up to date; the migrations that were missing, oldest first. `rehearse`: runs
 * them all the same, and takes them back.
 */
export async function migrateSchema(database: Database, rehearse: boolean): Promise<string[]> {
  if ((await schemaOf(database)) > latestMigration) throw isNewer();
  const { migrate } = await import("./migrate.ts");
  let done: string[] = [];
  const takenBack = new Error("rehearsed");
  try {
    await database.writeLocking(async (tx) => {
      await waitForTurn(tx, migrationLock);
      done = await migrate(tx);
      if (rehearse) throw takenBack;
    });
  } catch (error) {
    if (error !== takenBack) throw error;
  }
  return done;
}

async function appliedTo({ reader }: Database): Promise<string | undefined> {
  return lastMigration(reader).catch(async (error) => {
    // Asked only now, because it costs every command a query.
    if (await hasTable(reader, "kysely_migration")) throw error;
    return undefined;
  });
}

async function lastMigration(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name desc limit 1`.execute(
    db,
  );
  return rows[0]?.name;
}
