import type { Kysely } from "kysely";
import { columnTypes, statements } from "../dialect.ts";

export async function up(db: Kysely<unknown>): Promise<void> {
  const { id, key, number } = columnTypes(db);
  await statements(
    db,
    // No foreign key, because the changed item may be deleted.
    `create table audit_entries (
      id ${id},
      created_at ${number} not null,
      actor_id ${number},
      operation ${key} not null,
      path ${key} not null,
      fields text not null,
      address text
    )`,
    "create index audit_entries_time on audit_entries (created_at, id)",
    "create index audit_entries_actor on audit_entries (actor_id, created_at, id)",
    "create index audit_entries_operation on audit_entries (operation, created_at, id)",
    "create index audit_entries_path on audit_entries (path, created_at, id)",
  );
}
