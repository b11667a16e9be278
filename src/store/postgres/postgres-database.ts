import { setTimeout as sleep } from "node:timers/promises";
import { type Driver, Kysely, PostgresAdapter, PostgresDriver, PostgresIntrospector, sql } from "kysely";
import pg from "pg";
import { ServiceError } from "../../contract/errors.ts";
import type { Connected, OpenOptions, Tx } from "../database.ts";
import { readOnly } from "../missing-rights.ts";
import { runDirectly } from "../prepared.ts";
import type { Schema } from "../schema/schema.ts";
import { ArrayCompiler } from "./array-compiler.ts";
import { LimitedPool } from "./limited-pool.ts";
import { planOnce, StoreClient } from "./named-statements.ts";
import { pipelinedReads } from "./pipelined-reads.ts";
import { postgresChanges } from "./postgres-changes.ts";
import { lockTimeoutSeconds, PostgresWritingDriver } from "./postgres-driver.ts";
import { isConflict, lacksRight, translateOpeningError, translatePostgresError } from "./postgres-errors.ts";
import { withPassword } from "./postgres-password.ts";
import type { AnswerLimit } from "./watch-answers.ts";

const connectSeconds = 5;
/** Seconds without an answer after which a server gives a connection up. */
const answerSeconds = 30;
const maxConnections = 10;
/** Connections that take several reads at a time; measured, see docs/performance.md. */
const readingConnections = 4;

// IDs, times and counts are all below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** Opens a PostgreSQL database (or an engine that speaks its protocol) by URL. */
export async function connectPostgres(target: string, { create }: OpenOptions): Promise<Connected> {
  const url = usableUrl(target);
  const behindPooler = isBehindPooler(url);
  const answerLimit: AnswerLimit = { milliseconds: undefined };
  const pool = openPool(url, { behindPooler, answerLimit });
  const db = createKysely(new PostgresWritingDriver({ pool }));
  const reader = createKysely(new PostgresDriver({ pool }));
  const readOne = async (text: string, values: readonly unknown[]) =>
    (await pool.query(text, values as unknown[])).rows;
  const read = behindPooler ? readOne : pipelinedReads(pool, readingConnections);
  runDirectly(reader, "postgres", read);
  try {
    await requireUtf8(pool);
    if (create) await requireUsable(pool);
  } catch (error) {
    await pool.end();
    throw translateOpeningError(error);
  }
  const changes = postgresChanges(pool, behindPooler ? undefined : url);
  return {
    reader,
    write: repeatedTransactions(db, "serializable"),
    writeLocking: repeatedTransactions(db, "read committed"),
    factVersions: () => undefined,
    onChange: changes.onChange,
    isWriting: () => false,
    announce: changes.announce,
    explain: translatePostgresError,
    limitAnswers() {
      answerLimit.milliseconds = answerSeconds * 1000;
    },
    async close() {
      await changes.close();
      // Kysely ends only a pool that it has used, and the idle connections of another would keep the process running.
      await pool.end();
    },
  };
}

/** Throws `conflict` for a database that cannot keep every text. */
async function requireUtf8(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query("select current_setting('server_encoding') as encoding");
  const [{ encoding }] = rows;
  if (encoding === "UTF8") return;
  throw new ServiceError("conflict", `The encoding of the database is ${encoding}; wcs needs UTF8.`, {
    hint: "Create one with createdb --encoding UTF8 --template template0 NAME. A backup made by pg_dump can be restored into it.",
  });
}

/** Throws `conflict` or `unavailable` for a database in which wcs cannot create its tables. */
async function requireUsable(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(`
    select count(*) as tables, count(*) filter (where relname = 'kysely_migration') as ours,
      has_schema_privilege(current_schema(), 'create') as may_create,
      current_setting('transaction_read_only') as reads_only
    from pg_class where relnamespace = quote_ident(current_schema())::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')`);
  const { tables, ours, may_create, reads_only } = rows[0];
  if (ours > 0) return;
  if (tables > 0) {
    throw new ServiceError("conflict", "The database contains other tables; wcs needs a database of its own.");
  }
  if (reads_only === "on") throw new ServiceError("unavailable", readOnly.message, { hint: readOnly.hint });
  if (!may_create) throw lacksRight();
}

/** Replaces modes of TLS that pg treats as `verify-full` with a warning: a later version checks less, as libpq does. */
function withPlainMode(url: string): string {
  if (url.includes("uselibpqcompat=true")) return url;
  return url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
}

/** Throws `unavailable` for a URL that pg cannot read, or that names a missing certificate. */
function usableUrl(target: string): string {
  const url = withPlainMode(target);
  try {
    withPassword(url);
    return url;
  } catch (cause) {
    throw new ServiceError("unavailable", `The database URL cannot be used: ${(cause as Error).message}.`, { cause });
  }
}

interface ClientOptions {
  readonly behindPooler: boolean;
  readonly answerLimit: AnswerLimit;
}

function openPool(url: string, { behindPooler, answerLimit }: ClientOptions): pg.Pool {
  const pool = new LimitedPool({
    connectionString: url,
    connectionTimeoutMillis: connectSeconds * 1000,
    max: maxConnections,
    application_name: "wcs",
    keepAlive: true,
    Client: StoreClient,
    behindPooler,
    answerLimit,
    pipeline: !behindPooler,
    onConnect: async (client) => {
      // A server shows the latest commit of any process. Commands may read from a standby.
      if (answerLimit.milliseconds !== undefined) (client as StoreClient).requirePrimary();
      // A setting of the session would stay with a connection of the pooler.
      if (!behindPooler) await planOnce(client);
    },
  });
  // The pool replaces an idle connection that breaks; its next use reports a lasting failure.
  pool.on("error", () => {});
  // Without a listener, a connection that breaks between two statements of a transaction would end the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}

/** Returns true for a pooler in transaction mode, without names of statements, LISTEN and locks of a session. */
const isBehindPooler = (url: string): boolean => new URLSearchParams(url.split("?")[1]).get("pgbouncer") === "true";

/** Leaves out Kysely's lock: the caller holds one, and releasing it after a failure would fail, too, and hide the reason. */
class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

const createKysely = (driver: Driver) =>
  new Kysely<Schema>({
    dialect: {
      createAdapter: () => new UnlockedAdapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new ArrayCompiler(),
    },
  });

/** Conflicts of a transaction after which it runs alone. */
const maxConflicts = 3;

/**
 * Waits for those of other processes that run alone. Unlike an advisory lock, `lock table` lets a transaction see what was
 * committed while it waited. Nothing else needs this lock of this table.
 */
const joinQueue = "lock table kysely_migration_lock in share update exclusive mode";

function repeatedTransactions(db: Kysely<Schema>, level: "serializable" | "read committed") {
  const repeat = conflictRetries();
  return <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    repeat((isAlone) => {
      const transaction = db.transaction().setIsolationLevel(level);
      return transaction.execute(async (tx) => {
        if (isAlone) await sql.raw(joinQueue).execute(tx);
        return work(tx);
      });
    });
}

/**
 * Returns a function that runs transactions, each again after a conflict. After some conflicts it runs one alone, while others of
 * this process wait: otherwise short ones could make a long one fail each time, and many processes that change one row each other.
 */
function conflictRetries() {
  let alone: Promise<unknown> = Promise.resolve();
  return async <T>(transaction: (isAlone: boolean) => Promise<T>): Promise<T> => {
    const deadline = performance.now() + lockTimeoutSeconds * 1000;
    const run = async (conflicts: number): Promise<T> => {
      if (conflicts < maxConflicts) await alone;
      try {
        return await transaction(conflicts >= maxConflicts);
      } catch (error) {
        if (!isConflict(error) || performance.now() > deadline) throw error;
      }
      await sleep(Math.min(2 ** (conflicts + 1), 200) * Math.random());
      return conflicts + 1 === maxConflicts ? runAlone() : run(conflicts + 1);
    };
    const runAlone = () => {
      const result = alone.then(() => run(maxConflicts));
      alone = result.catch(() => {});
      return result;
    };
    return run(0);
  };
}
