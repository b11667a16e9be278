import { sql } from "kysely";
import type { Database, Db, Tx } from "./database.ts";
import { isPostgres, locking } from "./dialect.ts";
import { runOrRollBack } from "./dry-run.ts";
import { isSealed, type SecretCipher, type SecretPlace } from "./secret-cipher.ts";

/** Settings that are stored encrypted. */
export const secretSettings: readonly string[] = ["mail.smtp_url"];

/** A stored secret, and the function that replaces its stored form. */
interface StoredSecret {
  readonly place: SecretPlace;
  readonly stored: string;
  readonly replace: (tx: Tx, stored: string) => Promise<unknown>;
}

export interface SecretCounts {
  readonly encrypted: number;
  readonly plain: number;
  /** ID of the key of the encrypted secrets. */
  readonly keyId: string | null;
}

export async function countSecrets({ reader }: Database): Promise<SecretCounts> {
  const secrets = await listSecrets(reader);
  const encrypted = secrets.filter(({ stored }) => isSealed(stored)).length;
  return { encrypted, plain: secrets.length - encrypted, keyId: await keyIdOf(reader) };
}

/**
 * Encrypts all secrets with another key, or stores them in plain text without one, in one transaction. Returns their number.
 * Fails without a change when the present key cannot decrypt one of them. With `dryRun` it rolls back.
 */
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

/** Returns the ID of the key of the database's secrets; null while all of them are in plain text. */
async function keyIdOf(db: Db): Promise<string | null> {
  const instance = await db.selectFrom("instance").select("secret_key_id").executeTakeFirst();
  return instance?.secret_key_id ?? null;
}

async function listSecrets(db: Db): Promise<StoredSecret[]> {
  const { token_key } = await db.selectFrom("instance").select("token_key").executeTakeFirstOrThrow();
  const settings = await db
    .selectFrom("settings")
    .select(["key", "value"])
    .where("key", "in", secretSettings)
    .orderBy("key")
    .execute();
  const webhooks = await db
    .selectFrom("webhooks")
    .select(["id", "secret", "previous_secret"])
    .where("deleted_at", "is", null)
    .orderBy("id")
    .execute();
  return [
    {
      place: "instance.token_key",
      stored: token_key,
      replace: (tx, stored) => tx.updateTable("instance").set({ token_key: stored }).execute(),
    },
    ...settings.map(
      ({ key, value }): StoredSecret => ({
        place: `settings.value.${key}`,
        stored: value,
        replace: (tx, stored) => tx.updateTable("settings").set({ value: stored }).where("key", "=", key).execute(),
      }),
    ),
    ...(await listFactorSecrets(db)),
    ...webhooks.flatMap(({ id, ...row }) =>
      (["secret", "previous_secret"] as const).flatMap((column): StoredSecret[] => {
        const stored = row[column];
        const replace = (tx: Tx, next: string) =>
          tx
            .updateTable("webhooks")
            .set({ [column]: next })
            .where("id", "=", id)
            .where("deleted_at", "is", null)
            .execute();
        return stored === null ? [] : [{ place: `webhooks.${column}.${id}`, stored, replace }];
      }),
    ),
  ];
}

async function listFactorSecrets(db: Db): Promise<StoredSecret[]> {
  const factors = await db.selectFrom("two_factors").select(["user_id", "secret"]).orderBy("user_id").execute();
  return factors.map(({ user_id, secret: stored }) => ({
    place: `two_factors.secret.${user_id}`,
    stored,
    replace: (tx, secret) => tx.updateTable("two_factors").set({ secret }).where("user_id", "=", user_id).execute(),
  }));
}
