import type { Database } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";

/** Milliseconds for which a result is reused, because each check is a commit that the disk has to write. */
const reusedMilliseconds = 1000;

/** Prepared, so that on PostgreSQL it passes through the connections that requests share for reading. */
const anyRow = prepared((db) => db.selectFrom("instance").select("id"));

/** Returns a check that reads a row and commits an unchanged one, once for all simultaneous callers. */
export function readinessOf({ reader, writeLocking }: Pick<Database, "reader" | "writeLocking">): () => Promise<void> {
  let last: Promise<void> | undefined;
  const commit = () =>
    writeLocking((tx) =>
      tx
        .updateTable("instance")
        .set((eb) => ({ id: eb.ref("id") }))
        .execute(),
    );
  const check = async () => {
    await Promise.all([anyRow(reader, {}), commit()]);
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
