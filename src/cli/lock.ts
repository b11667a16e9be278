import { closeSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { hostname } from "node:os";

/** The lock could not be had in time. */
export class LockTimeout extends Error {
  override readonly name = "LockTimeout";
}

/** A lock older than this is one that its owner has lost, whatever became of it. */
const staleAfter = 10_000;

/** Runs `work` while holding the lock file; `held` tells whether it is still ours. */
export async function withLock<T>(
  file: string,
  patience: number,
  work: (held: () => boolean) => Promise<T>,
): Promise<T> {
  const mark = `${process.pid} ${hostname()} ${Math.random()}`;
  const giveUp = Date.now() + patience;
  while (!take(file, mark)) {
    if (Date.now() > giveUp) throw new LockTimeout(`${file} is held by another process`);
    if (isStale(file)) breakLock(file);
    await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 30));
  }
  const held = () => read(file) === mark;
  try {
    return await work(held);
  } finally {
    if (held()) rmSync(file, { force: true });
  }
}

function take(file: string, mark: string): boolean {
  try {
    const lock = openSync(file, "wx", 0o600);
    writeSync(lock, mark);
    closeSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function isStale(file: string): boolean {
  const [pid, host] = (read(file) ?? "").split(" ");
  if (pid && host === hostname() && !isAlive(Number(pid))) return true;
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > staleAfter;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Removes a stale lock. Only one process may do it at a time, or it would remove the lock that another took meanwhile. */
function breakLock(file: string): void {
  const guard = `${file}.stale`;
  if (!take(guard, "")) {
    const stat = statSync(guard, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > staleAfter) rmSync(guard, { force: true });
    return;
  }
  try {
    if (isStale(file)) rmSync(file, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}
