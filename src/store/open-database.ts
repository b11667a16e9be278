import { sql } from "kysely";
import { ServiceError } from "../contract/errors.ts";
import { quoteForShell } from "../contract/shell-quote.ts";
import type { Connected, Database, Db, OpenOptions, Tx } from "./database.ts";
import { hasTable, isPostgres, serverLock, tryLock, waitForTurn } from "./dialect.ts";
import { runOrRollBack } from "./dry-run.ts";
import { latestMigration } from "./latest-migration.ts";
import { prepared } from "./prepared.ts";
import { createSecretCipher, requireKnownKey } from "./secret-cipher.ts";

export function isPostgresUrl(target: string): boolean {
  return /^postgres(ql)?:\/\//.test(target);
}

/** Opens a database by the path of a SQLite file or a postgres:// URL, and migrates its schema. */
export async function openDatabase(target: string, options: OpenOptions = {}): Promise<Database> {
  const database = await connectWithKey(target, options);
  if (options.skipMigration) return database;
  const mustChange = await orClose(database, target, () => mustMigrate(database, target, options));
  const isInPlace = !mustChange || options.create || isPostgresUrl(target);
  const usable = isInPlace ? database : await reopenAlone(database, target, options);
  await orClose(usable, target, async () => {
    if (mustChange) await migrateOrCreate(usable, options);
    // With `schema`, the new database is a copy of one whose key is not known.
    if (options.schema === undefined) await requireKnownKey(usable);
  });
  return usable;
}

/** Runs work on a database that was just opened. Closes it when the work fails, and names it in the error. */
async function orClose<T>(database: Database, target: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await database.close();
    throw explainNamed(error, target, database);
  }
}

/** Throws what `openDatabase` with `create` would throw. Of a missing SQLite file it only checks the folder. */
export async function checkNewDatabase(target: string, options: OpenOptions): Promise<void> {
  if (!isPostgresUrl(target) && (await import("./sqlite/can-create.ts")).canCreate(target)) return;
  const database = await connectWithKey(target, options);
  try {
    await mustMigrate(database, target, options);
    await migrateOrCreate(database, options, true);
  } catch (error) {
    throw explainNamed(error, target, database);
  } finally {
    await database.close();
  }
}

/** Opens a database that `migrateSchema` will migrate. Throws `unavailable` while another process uses an older SQLite file. */
export async function openToMigrate(target: string): Promise<Database> {
  const database = await connectWithKey(target, {});
  if (isPostgresUrl(target)) return database;
  const applied = await orClose(database, target, () => knownSchemaOf(database));
  return applied === latestMigration ? database : reopenAlone(database, target, {});
}

const connectWithKey = async (target: string, options: OpenOptions): Promise<Database> => ({
  ...(await connect(target, options)),
  secrets: createSecretCipher(options.secretKey),
});

/** Waits until no other process has the SQLite file open: a running server would keep using the old schema. */
async function reopenAlone(database: Database, target: string, options: OpenOptions): Promise<Database> {
  await database.close();
  const { waitUntilUnused } = await import("./sqlite/wait-until-unused.ts");
  if (!(await waitUntilUnused(target, latestMigration))) throw databaseInUse();
  return connectWithKey(target, options);
}

async function connect(target: string, options: OpenOptions): Promise<Connected> {
  if (isPostgresUrl(target)) {
    const { connectPostgres } = await import("./postgres/postgres-database.ts");
    return connectPostgres(target, options).catch((error) => {
      throw nameTarget(target, error);
    });
  }
  return (await import("./sqlite/sqlite-database.ts")).connectSqlite(target, options);
}

/** Names the PostgreSQL database that an error is about, since a command may use two; errors about SQLite name the file. */
export function nameTarget(target: string, error: unknown): unknown {
  const url = isPostgresUrl(target) ? URL.parse(target) : null;
  if (url !== null && error instanceof ServiceError) {
    error.message = `${url.searchParams.get("host") ?? url.host}${url.pathname}: ${error.message}`;
  }
  return error;
}

/** Translates an error of the database and names it. Other errors already say what failed. */
export const explainNamed = (error: unknown, target: string, { explain }: Pick<Database, "explain">): unknown =>
  error instanceof ServiceError ? error : nameTarget(target, explain(error));

const migrationLock = 0x7763736d;

/** Returns the last migration that the database went through. Throws `not_found` when there was none. */
export async function schemaOf(database: Pick<Database, "reader">): Promise<string> {
  const applied = await appliedTo(database);
  if (applied === undefined) throw noInstance();
  return applied;
}

/** Returns the same as `schemaOf`. Throws `conflict` when the schema is newer than this program. */
export async function knownSchemaOf(database: Pick<Database, "reader">): Promise<string> {
  const applied = await schemaOf(database);
  if (applied > latestMigration) throw newerDatabase();
  return applied;
}

const noInstance = () =>
  new ServiceError("not_found", "The database contains no wcs instance. Create one with wcs init.");

const newerDatabase = () =>
  new ServiceError("conflict", "The database belongs to a newer version of wcs; update wcs to use it.");

const databaseInUse = () =>
  new ServiceError(
    "unavailable",
    "The database must be migrated for this version of wcs, but another process uses it.",
    { hint: "Stop wcs serve on every machine, make a backup, then run wcs db migrate." },
  );

const mustBeOwner = (cause: unknown) =>
  new ServiceError(
    "unavailable",
    "The database must be migrated for this version of wcs, and the PostgreSQL user of its URL may not do that.",
    {
      hint: "Stop wcs serve on every machine, make a backup, then run wcs db migrate as the owner of the tables.",
      cause,
    },
  );

/** SQLSTATE of a statement that the user has no right to. */
const insufficientPrivilege = "42501";

/** Returns true for an older schema, and for a new database with `create`. */
async function mustMigrate(database: Database, target: string, { create }: OpenOptions): Promise<boolean> {
  const applied = await appliedTo(database);
  if (create && applied !== undefined) {
    const [name, place] = isPostgresUrl(target) ? ["The database", "<url>"] : [target, quoteForShell(target)];
    const exists = new ServiceError("conflict", `${name} exists already; it was not changed.`, {
      hint: `Name a new file or an empty database, or use this one with --db ${place}`,
    });
    throw nameTarget(target, exists);
  }
  if (applied !== undefined && applied > latestMigration) throw nameTarget(target, newerDatabase());
  if (applied === undefined && !create) throw nameTarget(target, noInstance());
  return applied !== latestMigration;
}

async function migrateOrCreate(database: Database, { create, schema }: OpenOptions, dryRun = false): Promise<string[]> {
  const { runMigrations } = await import("./migrations/run-migrations.ts");
  // Locks before it reads, so that a process sees what another one did while it waited.
  return runOrRollBack(database.writeLocking, dryRun, async (tx) => {
    // A process that migrates may take long.
    if (isPostgres(tx)) await sql`set local lock_timeout = 0`.execute(tx);
    await waitForTurn(tx, migrationLock);
    if (create && (await hasTable(tx, "kysely_migration"))) {
      throw new ServiceError("conflict", "Another process created the database at the same time.");
    }
    if (!create && !dryRun) await requireNoServer(tx);
    const ran = await runMigrations(tx, schema);
    await create?.(tx, database.secrets);
    return ran;
  }).catch((error) => {
    throw !create && error.code === insufficientPrivilege ? mustBeOwner(error) : error;
  });
}

/** Migrates a database that was opened without migration. Returns the migrations that ran, oldest first. */
export async function migrateSchema(database: Database, dryRun: boolean): Promise<string[]> {
  await knownSchemaOf(database);
  return migrateOrCreate(database, {}, dryRun);
}

/** Throws `unavailable` while a server works on an older PostgreSQL database. */
async function requireNoServer(tx: Tx): Promise<void> {
  if ((await lastMigration(tx)) === latestMigration) return;
  if (!(await tryLock(tx, serverLock))) throw databaseInUse();
}

async function appliedTo({ reader }: Pick<Database, "reader">): Promise<string | undefined> {
  // Checked only then, because the check costs every command a query. Another process may have created the table meanwhile.
  return lastMigration(reader).catch(async () =>
    (await hasTable(reader, "kysely_migration")) ? lastMigration(reader) : undefined,
  );
}

const latestApplied = prepared(
  () => sql<{ name: string }>`select name from kysely_migration order by name desc limit 1`,
);

async function lastMigration(db: Db): Promise<string | undefined> {
  const [last] = await latestApplied(db, {});
  return last?.name;
}
