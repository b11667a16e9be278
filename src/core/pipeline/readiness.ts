import type { Database } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";
import { requireKey } from "../../store/secret-cipher.ts";

/** Milliseconds that a result is reused, because each check commits to disk. */
const reusedMilliseconds = 1000;

/** Prepared, so that on PostgreSQL it passes through the connections that requests share for reading. */
const keyRow = prepared((db) => db.selectFrom("instance").select("secret_key_id"));

/**
 * Returns a check that reads a row and commits an unchanged one, once for all simultaneous callers. It throws a
 * `SecretKeyError` when the secrets got another key since the service started.
 */
export function readinessOf({ reader, writeLocking, secrets }: Database): () => Promise<void> {
  let last: Promise<void> | undefined;
  const commit = () =>
    writeLocking((tx) =>
      tx
        .updateTable("instance")
        .set((eb) => ({ id: eb.ref("id") }))
        .execute(),
    );
  const check = async () => {
    const [rows] = await Promise.all([keyRow(reader, {}), commit()]);
    const key = rows[0]?.secret_key_id ?? null;
    if (key !== null) requireKey(key, secrets.keyId);
  };
  const forget = () => {
    setTimeout(() => {
      last = undefined;
    }, reusedMilliseconds).unref();
  };
  return () => {
    if (last === undefined) {
      last = check();
      last.then(forget, forget);
    }
    return last;
  };
}
