import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { type Home, start } from "../cli/support.ts";

/** Reads a file of `examples/operations/`. */
export const example = (name: string): string =>
  readFileSync(new URL(`../../examples/operations/${name}`, import.meta.url), "utf8");

/** Reads docs/operations.md. */
export const manual = (): string => readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");

/** Returns the text with each key replaced by its value. Throws when a key is not in the text. */
export function filledIn(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((filled, [key, value]) => {
    if (!filled.includes(key)) throw new Error(`'${key}' is not in the example`);
    return filled.replaceAll(key, value);
  }, text);
}

/** A running `wcs serve`. */
export interface Server {
  readonly process: ChildProcess;
  readonly url: string;
  /** The lines of its log as objects. */
  log(): Record<string, unknown>[];
}

/** Starts `wcs serve` and waits until it is ready. Throws its stderr when it ends instead. */
export async function serve(home: Home, args: readonly string[], env: Record<string, string> = {}): Promise<Server> {
  const child = start(["serve", ...args], { ...home.env, ...env });
  let log = "";
  child.stderr?.on("data", (chunk) => (log += chunk));
  const ready = once(child.stdout!, "data").then(([line]) => String(line).trim());
  const url = await Promise.race([
    ready,
    once(child, "close").then(() => {
      throw new Error(log);
    }),
  ]);
  return {
    process: child,
    url,
    log: () =>
      log
        // The last line may not be whole yet.
        .slice(0, log.lastIndexOf("\n") + 1)
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  };
}

/** Writes a configuration file and returns its path. */
export function writeConfig(home: Home, text: string): string {
  const path = home.path("wcs.yaml");
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
