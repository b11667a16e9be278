import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { isBusy } from "./sqlite-errors.ts";

/** Milliseconds to wait for running commands. */
const maxWait = 5000;

/** Waits until no other connection has the file open, or its last migration is `wanted`. Returns false after some seconds. */
export async function waitUntilUnused(path: string, wanted: string): Promise<boolean> {
  const deadline = performance.now() + maxWait;
  for (let pause = 1; ; pause = Math.min(pause * 2, 100)) {
    if (isUnused(path) || lastMigrationIn(path) === wanted) return true;
    if (performance.now() > deadline) return false;
    await sleep(pause * (0.5 + Math.random()));
  }
}

function isUnused(path: string): boolean {
  return unlessBusy(path, (connection) => {
    // In this mode reading takes the lock that no other connection to a file in WAL mode may have.
    connection.exec("pragma locking_mode = exclusive");
    connection.prepare("select count(*) from sqlite_master").get();
    return true;
  });
}

const lastMigrationIn = (path: string) =>
  unlessBusy(path, (connection) => connection.prepare("select max(name) as name from kysely_migration").get()?.name);

function unlessBusy<T>(path: string, work: (connection: DatabaseSync) => T): T | false {
  using connection = new DatabaseSync(path, { timeout: 0 });
  try {
    return work(connection);
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
