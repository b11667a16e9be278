import type { Database } from "../../store/database.ts";

/** Milliseconds for which a result is reused, because each check is a commit that the disk has to write. */
const reusedMilliseconds = 1000;

/** Returns a check that the database accepts writes. It commits an unchanged row, once for all simultaneous callers. */
export function readinessOf({ writeLocking }: Pick<Database, "writeLocking">): () => Promise<void> {
  let last: Promise<void> | undefined;
  const commit = async () => {
    await writeLocking((tx) =>
      tx
        .updateTable("instance")
        .set((eb) => ({ id: eb.ref("id") }))
        .execute(),
    );
  };
  const forget = () => {
    setTimeout(() => {
      last = undefined;
    }, reusedMilliseconds).unref();
  };
  return () => {
    if (last === undefined) {
      last = commit();
      last.then(forget, forget);
    }
    return last;
  };
}
