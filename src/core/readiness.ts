import type { Database } from "../store/database.ts";

/** Milliseconds for which an outcome stands: each try is a commit, which the disk has to take. */
const kept = 1000;

/** Returns a check that the database takes changes. It commits a row as it was, once for all who ask at the same time. */
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
    }, kept).unref();
  };
  return () => {
    if (last === undefined) {
      last = commit();
      last.then(forget, forget);
    }
    return last;
  };
}
