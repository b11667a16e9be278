import type { Kysely } from "kysely";
import { columnTypes, isPostgres, statements } from "../dialect.ts";

/**
 * Removes what could give passwords, tokens and webhook secrets away: stored answers with hashes of whole inputs, and tokens
 * in mails. A mail that lets its user set a password waits once at most. The instance knows the key of its secrets.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { key } = columnTypes(db);
  const waiting = "sent_at is null and failed_at is null and kind <> 'webhook_disabled'";
  await statements(
    db,
    // SQLite otherwise leaves what is deleted in the free space of its file.
    ...(isPostgres(db) ? [] : ["pragma secure_delete = on"]),
    "delete from idempotency_keys",
    "update mails set payload = '{}' where kind <> 'webhook_disabled'",
    `delete from mails where ${waiting} and id not in (select max(id) from mails where ${waiting} group by user_id, kind)`,
    `create unique index mails_person_waiting on mails (user_id, kind) where ${waiting}`,
    `alter table instance add column secret_key_id ${key}`,
  );
}
