import type { Database } from "../../store/database.ts";
import { requireKnownKey } from "../../store/secret-cipher.ts";

/** Milliseconds that a result is reused, because each check commits to disk. */
const reusedMilliseconds = 1000;

/**
 * Returns a check that reads a row and commits an unchanged one, once for all simultaneous callers. It throws a
 * `SecretKeyError` when the secrets got another key since the service started.
 */
export function readinessOf(database: Database): () => Promise<void> {
  let last: Promise<void> | undefined;
  const commit = () =>
    database.writeLocking((tx) =>
      tx
        .updateTable("instance")
        .set((eb) => ({ id: eb.ref("id") }))
        .execute(),
    );
  const check = async () => {
    await Promise.all([requireKnownKey(database), commit()]);
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
