import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { isBusy } from "./sqlite-errors.ts";

/** Milliseconds to wait for running commands. */
const maxWait = 5000;

/** Waits until no other connection has the file open, or its last migration is `wanted`. Returns false after some seconds. */
export async function waitUntilUnused(path: string, wanted: string): Promise<boolean> {
  const deadline = performance.now() + maxWait;
  for (;;) {
    if (isUnused(path) || lastMigrationIn(path) === wanted) return true;
    if (performance.now() > deadline) return false;
    await sleep(20);
  }
}

function isUnused(path: string): boolean {
  return unlessBusy(path, (connection) => {
    countTablesAlone(connection);
    return true;
  });
}

/** Removes a database without tables, unless another process is at work on it. */
export function removeEmptyFile(path: string): void {
  unlessBusy(path, (connection) => {
    if (countTablesAlone(connection) > 0) return;
    for (const suffix of ["-shm", "-wal", ""]) rmSync(path + suffix, { force: true });
  });
}

/** Counts the tables in a mode in which reading takes the lock that no other connection to a file in WAL mode may have. */
function countTablesAlone(connection: DatabaseSync): number {
  connection.exec("pragma locking_mode = exclusive");
  return (connection.prepare("select count(*) as tables from sqlite_master").get() as { tables: number }).tables;
}

const selectLast = "select max(name) as name from kysely_migration";

const lastMigrationIn = (path: string) =>
  unlessBusy(path, (connection) => (connection.prepare(selectLast).get() as { name: string }).name);

function unlessBusy<T>(path: string, work: (connection: DatabaseSync) => T): T | false {
  using connection = new DatabaseSync(path, { timeout: 0 });
  try {
    return work(connection);
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}
