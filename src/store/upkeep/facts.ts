import { sql } from "kysely";
import { type Database, latestMigration, schemaOf } from "../database.ts";
import { isPostgres } from "../dialect.ts";

/** What a database is. Times are Unix seconds. */
export interface DatabaseFacts {
  readonly kind: "sqlite" | "postgresql";
  /** Of the database engine. */
  readonly version: string;
  /** The last migration that it went through. */
  readonly schema: string;
  /** The last one that this program knows. */
  readonly latest: string;
  readonly size_bytes: number;
  /** The ID of the instance: what its tokens name as their issuer. */
  readonly instance: string;
  readonly created_at: number;
  /** Null when the schema is not the one that this program knows. */
  readonly counts: Record<string, number> | null;
}

/** What counts: what was deleted does not. */
const counted: Readonly<Record<string, string>> = {
  users: "users where deleted_at is null",
  units: "units",
  posts: "posts where deleted_at is null",
  events: "events where deleted_at is null",
  conversations: "conversations",
  messages: "messages where deleted_at is null",
  webhooks: "webhooks where deleted_at is null",
  waiting_callbacks: "deliveries where state = 'waiting'",
  waiting_mails: "mails where sent_at is null and failed_at is null",
};

/** Looks at a database that was opened as it is, in four queries. Fails as `schemaOf` does. */
export async function lookAt(database: Database): Promise<DatabaseFacts> {
  const { reader } = database;
  const schema = await schemaOf(database);
  const { rows } = await (isPostgres(reader)
    ? sql<Engine>`select current_setting('server_version') as version, pg_database_size(current_database()) as size_bytes`
    : sql<Engine>`select sqlite_version() as version, page_count * page_size as size_bytes
        from pragma_page_count, pragma_page_size`
  ).execute(reader);
  const { issuer, created_at } = await reader
    .selectFrom("instance")
    .select(["issuer", "created_at"])
    .executeTakeFirstOrThrow();
  return {
    kind: isPostgres(reader) ? "postgresql" : "sqlite",
    version: rows[0]!.version,
    schema,
    latest: latestMigration,
    size_bytes: rows[0]!.size_bytes,
    instance: issuer,
    created_at,
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
  return { ...rows[0] };
}
