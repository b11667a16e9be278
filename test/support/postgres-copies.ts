import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { execute } from "./template-databases.ts";

/** The content of a database, as statements that restore it in one with the same tables. */
export interface Content {
  readonly restoring: string;
  /** Differs between databases with different tables, columns or indexes. */
  readonly shape: string;
  readonly bytes: number;
}

export interface NewDatabase {
  readonly target: string;
  remove(): Promise<void>;
}

/** Creates an empty PostgreSQL database, or a copy of a template. */
export async function createPostgres(template = "template1"): Promise<NewDatabase> {
  const server = inject("postgresUrl");
  const name = `wcs_${randomUUID().replaceAll("-", "")}`;
  await execute(`${server}/postgres`, `create database ${name} template ${template}`);
  return {
    target: `${server}/${name}`,
    remove: () => execute(`${server}/postgres`, `drop database ${name} with (force)`),
  };
}

/**
 * Returns a function that makes databases with the same content, or with another one for the same tables. It restores one
 * with which another test of this worker has finished, because that costs a tenth of making one.
 */
export function reusing(make: () => Promise<NewDatabase>): (wanted?: Content) => Promise<NewDatabase> {
  const finished: NewDatabase[] = [];
  let content: Promise<Content> | undefined;
  const lend = (database: NewDatabase) => ({
    target: database.target,
    remove: async () => void finished.push(database),
  });
  return async (wanted) => {
    for (let used = finished.pop(); used !== undefined; used = finished.pop()) {
      const restored = wanted ?? (await content);
      if (restored && (await restoreContent(used.target, restored))) return lend(used);
      await used.remove();
    }
    const made = await make();
    content ??= contentOf(made.target);
    await content;
    if (wanted && !(await restoreContent(made.target, wanted))) throw new Error("The content is of other tables.");
    return lend(made);
  };
}

/**
 * Makes the tables those of a database that was never analyzed. A test may have analyzed them; with its empty tables, plans
 * for thousands of rows that a later test has would expect one row and take minutes.
 */
const forgetStatistics = `
  delete from pg_statistic where starelid in (select oid from pg_class where relnamespace = 'public'::regnamespace);
  update pg_class set reltuples = -1, relpages = 0
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'i') and reltuples >= 0`;

const tables = "pg_tables where schemaname = 'public'";

/** Reads all rows of a database, and where its sequences are. */
export const contentOf = (target: string): Promise<Content> => connected(target, readContent);

async function readContent(client: pg.Client): Promise<Content> {
  const { rows } = await client.query(`select quote_ident(tablename) as name from ${tables}`);
  const names = rows.map(({ name }) => name as string);
  const restoring = names.map((name) => `delete from ${name}`);
  for (const name of names) {
    const found = await client.query(
      `select (select json_agg(t) from ${name} t)::text as content, string_agg(quote_ident(attname), ',') as columns
       from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [name],
    );
    const { content, columns } = found.rows[0];
    if (content === null) continue;
    restoring.push(
      `insert into ${name} (${columns}) overriding system value select ${columns} from json_populate_recordset(null::${name}, ${client.escapeLiteral(content)})`,
    );
  }
  const sequences = await client.query(
    `select string_agg(format('setval(%L, %s, %L)', quote_ident(sequencename), coalesce(last_value, start_value), last_value is not null), ',') as text
     from pg_sequences where schemaname = 'public'`,
  );
  restoring.push(`select ${sequences.rows[0].text}`);
  return { restoring: restoring.join(";"), ...(await measure(client)) };
}

/** Connections that restore databases, kept because the first use of each table on a new one takes several times as long. */
const restorers = new Map<string, pg.Client>();

/** Restores the content of a database. Returns false when a test has changed the tables themselves, or made them large. */
export async function restoreContent(target: string, content: Content): Promise<boolean> {
  const kept = restorers.get(target);
  // A test may have ended it.
  const restored = kept && (await restoreBy(kept, content).catch(() => undefined));
  if (restored !== undefined) return restored;
  const client = new pg.Client(target);
  client.on("error", () => {});
  await client.connect();
  // It does not keep the worker running.
  client.unref();
  restorers.set(target, client);
  return restoreBy(client, content);
}

async function restoreBy(client: pg.Client, { restoring, shape, bytes }: Content): Promise<boolean> {
  await client.query(
    "select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  const now = await measure(client);
  if (now.shape !== shape || now.bytes > 2 * bytes) return false;
  // One transaction. Without triggers, which include those of foreign keys, the order of the tables does not matter.
  await client.query(`set local session_replication_role = replica; ${restoring}; ${forgetStatistics}`);
  return true;
}

/** Describes the tables and indexes. Each has a file, which is replaced when it is altered. */
async function measure(client: pg.Client): Promise<Pick<Content, "shape" | "bytes">> {
  const { rows } = await client.query(
    `select md5(string_agg(concat_ws(' ', relname, relfilenode, relnatts, relchecks), ',' order by relname)) as shape,
       pg_database_size(current_database())::float8 as bytes
     from pg_class where relnamespace = 'public'::regnamespace`,
  );
  return rows[0];
}

async function connected<T>(target: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(target);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
