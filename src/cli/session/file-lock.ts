import { randomUUID } from "node:crypto";
import { constants, copyFileSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceError } from "../../contract/errors.ts";
import { hasNoLinks } from "../file-io/open-destination.ts";

/** Milliseconds after which a lock is taken over even if its owner seems alive. */
const staleAfter = 10_000;
/** Milliseconds that a process has to write its name into a lock created in two steps. */
const unnamedAfter = 500;

/**
 * Runs `work` under the lock. Throws `unavailable` when another process holds it for longer than `maxWait`. proper-lockfile goes
 * by the age of the lock alone, so that a killed process would block others.
 */
export async function withLock<T>(
  file: string,
  maxWait: number,
  work: (held: () => boolean) => Promise<T>,
): Promise<T> {
  const owner = newOwner();
  const giveUp = performance.now() + maxWait;
  while (!take(file, owner)) {
    if (performance.now() > giveUp) throw lockedByAnother(file);
    if (isStale(file)) breakLock(file);
    await sleep(10 + Math.random() * 30);
  }
  const held = () => read(file) === owner;
  try {
    return await work(held);
  } finally {
    if (held()) rmSync(file, { force: true });
  }
}

const lockedByAnother = (file: string) =>
  new ServiceError("unavailable", `Another process has the lock ${file}.`, {
    hint: "Try again. If no other wcs command is running, delete that file.",
  });

const newOwner = () => `${process.pid} ${hostname()} ${randomUUID()}`;

/** Creates the lock file with its owner in one step, so that a killed process or a full disk leaves no lock without one. */
function take(file: string, owner: string): boolean {
  const draft = `${file}.${owner.split(" ").at(-1)}`;
  try {
    writeFileSync(draft, owner, { flag: "wx", mode: 0o600 });
    place(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function place(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    // Some file systems do not support links. Copying takes two steps, and removes an incomplete copy.
    if (!hasNoLinks(error)) throw error;
    copyFileSync(draft, file, constants.COPYFILE_EXCL);
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Returns whether the owner of the lock is dead or unknown, or has held it for too long. A time in the future is from a wrong clock. */
function isStale(file: string, now = Date.now()): boolean {
  const text = read(file);
  const [, pid, host] = /^(\d+) (\S+) \S/.exec(text ?? "") ?? [];
  if (pid !== undefined && host === hostname() && !isAlive(Number(pid))) return true;
  const stat = statSync(file, { throwIfNoEntry: false });
  const isUnnamed = text !== undefined && pid === undefined;
  return stat !== undefined && Math.abs(now - stat.mtimeMs) > (isUnnamed ? unnamedAfter : staleAfter);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Removes a stale lock. Uses a second lock, since a concurrent removal could delete a lock that was just acquired. */
function breakLock(file: string): void {
  const guard = `${file}.stale`;
  if (!take(guard, newOwner())) {
    if (isStale(guard)) rmSync(guard, { force: true });
    return;
  }
  try {
    // The clock of a shared folder may differ from that of this machine.
    const now = statSync(guard, { throwIfNoEntry: false })?.mtimeMs;
    if (now !== undefined && isStale(file, now)) rmSync(file, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}
