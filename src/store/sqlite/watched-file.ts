import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { ServiceError } from "../../contract/errors.ts";
import { monotonicTime } from "../monotonic-time.ts";

/** Milliseconds between two checks for requests that only read. */
const pause = 1000;

/**
 * Returns checks that the path of an open database still leads to the same file. After the file was deleted or replaced, SQLite goes
 * on with the old one, and everything written to it is lost. The checks throw `unavailable` then. `lookUp` returns the data version.
 */
export function watchedFile(path: string, lookUp: () => number) {
  const opened = identityOf(path);
  let version = lookUp();
  let checkedAt = monotonicTime();
  const check = () => {
    if (identityOf(path) !== opened) throw fileGone(path);
    version = lookUp();
    checkedAt = monotonicTime();
  };
  return {
    check,
    /** Checks if the last check that passed was more than a second ago. */
    checkEachSecond() {
      if (monotonicTime() > checkedAt + pause) check();
    },
    /**
     * Moves the log into a file that was moved. SQLite would leave it, and apply it to the file that took its place. What others wrote
     * since the last check stays: a process that has opened the new file writes to the same log.
     */
    emptyLog(connection: DatabaseSync) {
      if (identityOf(path) !== opened && lookUp() === version) connection.exec("pragma wal_checkpoint(truncate)");
    },
  };
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

const fileGone = (path: string) =>
  new ServiceError("unavailable", "The database file was deleted or replaced while it was open; restart the service.", {
    cause: new Error(`${path} is not the file that was opened. Changes are refused, because they would be lost.`),
  });
