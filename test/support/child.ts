import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";

export interface Child {
  readonly process: ChildProcess;
  readonly lines: string[];
  /** Resolves with the next line that it prints; rejects when it ends first. */
  next(): Promise<string>;
  /** Ends it as a power cut would: no handler runs, nothing is written any more. */
  kill(): Promise<void>;
}

/** Folder of the scripts as bundles, which the run made. */
export const bundles = join(import.meta.dirname, "../../node_modules/.wcs-test-scripts");

/** Returns the path of the bundle of a script. */
export const bundleOf = (script: string): string => join(bundles, `${basename(script, ".ts")}.js`);

/** The environment of a script: what one of them has compiled and flushed, the next need not. */
export const scriptEnvironment = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "wcs-test-cache", "scripts") };

/** Runs a script of `test/` in a process of its own. */
export function startChild(script: string, args: readonly string[]): Child {
  const child = spawn(process.execPath, [bundleOf(script), ...args], {
    env: scriptEnvironment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  const waiting: { resolve(line: string): void; reject(error: Error): void }[] = [];
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    waiting.shift()?.resolve(line);
  });
  void ended.then(() => {
    for (const each of waiting) each.reject(new Error("the child has ended"));
  });
  return {
    process: child,
    lines,
    next: () => new Promise((resolve, reject) => waiting.push({ resolve, reject })),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
