import { sql } from "kysely";
import type { Database } from "../database.ts";
import { isPostgres } from "../dialect.ts";
import { latestMigration } from "../latest-migration.ts";
import { schemaOf } from "../open-database.ts";

/** Tables and conditions of the counts. Deleted items do not count. */
const counted: Readonly<Record<string, string>> = {
  users: "users where deleted_at is null",
  units: "units",
  posts: "posts where deleted_at is null",
  events: "events where deleted_at is null",
  conversations: "conversations",
  messages: "messages where deleted_at is null",
  webhooks: "webhooks where deleted_at is null",
  waiting_callbacks: "deliveries where state = 'waiting'",
  waiting_mails: "mails where state = 'waiting'",
};

/** Describes a database that was opened without migration, in four queries. Throws the errors of `schemaOf`. */
export async function readDatabaseInfo(database: Database) {
  const { reader } = database;
  const schema = await schemaOf(database);
  const { rows } = await (isPostgres(reader)
    ? sql<Engine>`select current_setting('server_version') as version, pg_database_size(current_database()) as size_bytes`
    : sql<Engine>`select sqlite_version() as version, page_count * page_size as size_bytes
        from pragma_page_count, pragma_page_size`
  ).execute(reader);
  // The query returns one row.
  const { version, size_bytes } = rows[0]!;
  const { issuer, created_at } = await reader
    .selectFrom("instance")
    .select(["issuer", "created_at"])
    .executeTakeFirstOrThrow();
  return {
    kind: isPostgres(reader) ? ("postgresql" as const) : ("sqlite" as const),
    version,
    schema,
    latest: latestMigration,
    size_bytes,
    instance: issuer,
    created_at,
    /** Null when the schema is not that of this program. */
    counts: schema === latestMigration ? await count(database) : null,
  };
}

interface Engine {
  readonly version: string;
  readonly size_bytes: number;
}

async function count({ reader }: Database): Promise<Record<string, number>> {
  const columns = Object.entries(counted).map(([name, from]) => `(select count(*) from ${from}) as ${name}`);
  const { rows } = await sql<Record<string, number>>`select ${sql.raw(columns.join(", "))}`.execute(reader);
  return rows[0] ?? {};
}
