import type { Kysely } from "kysely";
import { columnTypes, isPostgres, statements } from "../dialect.ts";

/**
 * Removes stored data that could reveal passwords, tokens and webhook secrets: answers with hashes of whole inputs, and
 * tokens in mails. At most one mail with which a user sets a password stays queued. Adds the ID of the key that encrypts the
 * secrets.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { key } = columnTypes(db);
  const waiting = "sent_at is null and failed_at is null and kind <> 'webhook_disabled'";
  await statements(
    db,
    // By default SQLite leaves deleted data in the free space of its file.
    ...(isPostgres(db) ? [] : ["pragma secure_delete = on"]),
    "delete from idempotency_keys",
    "update mails set payload = '{}' where kind <> 'webhook_disabled'",
    `delete from mails where ${waiting} and id not in (select max(id) from mails where ${waiting} group by user_id, kind)`,
    `create unique index mails_person_waiting on mails (user_id, kind) where ${waiting}`,
    `alter table instance add column secret_key_id ${key}`,
  );
}
