import { sql } from "kysely";
import type { Database, Db, Tx } from "./database.ts";
import { isAmong, isPostgres, locking } from "./dialect.ts";
import { runOrRollBack } from "./dry-run.ts";
import { isSealed, type SecretCipher, type SecretPlace } from "./secret-cipher.ts";

/** Settings that are stored encrypted. */
export const secretSettings: readonly string[] = ["mail.smtp_url"];

/** Columns with secrets, and the column that tells their rows apart in the place of a secret, as 3 in `webhooks.secret.3`. */
const secretColumns = [
  { table: "instance", column: "token_key" },
  { table: "settings", column: "value", key: "key", rows: secretSettings },
  { table: "two_factors", column: "secret", key: "user_id" },
  { table: "webhooks", column: "secret", key: "id" },
  { table: "webhooks", column: "previous_secrets", key: "id" },
] as const;

interface StoredSecret {
  readonly place: SecretPlace;
  readonly stored: string;
  replace(tx: Tx, stored: string): Promise<unknown>;
}

export type SecretCounts = Awaited<ReturnType<typeof countSecrets>>;

/** Counts the secrets, and returns the ID of the key of the encrypted ones. */
export async function countSecrets({ reader }: Database) {
  const secrets = await listSecrets(reader);
  const encrypted = secrets.filter(({ stored }) => isSealed(stored)).length;
  const instance = await reader.selectFrom("instance").select("secret_key_id").executeTakeFirst();
  return { encrypted, plain: secrets.length - encrypted, keyId: instance?.secret_key_id ?? null };
}

/** Encrypts all secrets with another key, or none, in one transaction. Returns their number. `dryRun` rolls back. */
export async function rotateSecretKey(
  database: Database,
  next: SecretCipher,
  { dryRun = false } = {},
): Promise<number> {
  return runOrRollBack(database.writeLocking, dryRun, async (tx) => {
    // By default SQLite leaves replaced data in the free space of its file.
    if (!isPostgres(tx)) await sql`pragma secure_delete = on`.execute(tx);
    // Blocks other writers of secrets until the end of the transaction.
    await locking(tx, tx.selectFrom("instance").select("id")).execute();
    const secrets = await listSecrets(tx);
    await tx
      .updateTable("instance")
      .set({ secret_key_id: next.keyId ?? null })
      .execute();
    for (const { place, stored, replace } of secrets)
      await replace(tx, await next.seal(tx, place, database.secrets.open(place, stored)));
    return secrets.length;
  });
}

/** Lists the secrets. Those of deleted webhooks are empty. */
async function listSecrets(db: Db): Promise<StoredSecret[]> {
  const found: StoredSecret[] = [];
  for (const { table, column, ...selection } of secretColumns) {
    const own = sql.ref(column);
    const key = "key" in selection ? sql.ref(selection.key) : sql`''`;
    const among = "rows" in selection ? sql`and ${isAmong(selection.key, selection.rows)}` : sql``;
    const { rows } = await sql<{ stored: string; key: string | number }>`select ${own} as stored, ${key} as key
      from ${sql.table(table)} where ${own} <> '' ${among} order by key`.execute(db);
    for (const { stored, key: value } of rows) {
      const place = ("key" in selection ? `${table}.${column}.${value}` : `${table}.${column}`) as SecretPlace;
      const replace = (tx: Tx, next: string) =>
        sql`update ${sql.table(table)} set ${own} = ${next}
        where ${own} = ${stored} and ${key} = ${value}`.execute(tx);
      found.push({ place, stored, replace });
    }
  }
  return found;
}
