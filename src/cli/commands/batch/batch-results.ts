import { randomUUID } from "node:crypto";
import { appendFileSync, closeSync, existsSync, fchmodSync, fstatSync, openSync, readFileSync } from "node:fs";
import { errorCodes } from "../../../contract/errors.ts";
import { tryParseJson } from "../../../contract/parse-json.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { cannotWrite, resolveLinks } from "../../file-io/open-destination.ts";

export interface BatchResult {
  readonly line: number;
  readonly command: string;
  readonly result: "done" | "failed" | "skipped";
  readonly exit: number;
  /** The output of the command, parsed if it is JSON. */
  readonly output: unknown;
  readonly error: string | null;
}

export type ResultLog = Awaited<ReturnType<typeof openResultLog>>;

/** A line of the file: that a row began, or its result. */
interface LoggedLine extends Partial<Omit<BatchResult, "result">> {
  readonly target: string;
  readonly result: "started" | BatchResult["result"];
  readonly key: string;
}

/** Keeps others from reading the results, and throws a `UsageError` when another user could mark rows as done. */
function keepPrivate(file: number, path: string): void {
  const stat = fstatSync(file);
  if (!stat.isFile() || process.getuid === undefined) return;
  // Root may use the file of the user who ran sudo.
  if (![0, stat.uid].includes(process.getuid()))
    throw new UsageError(`--results: ${path} belongs to another user`, { hint: "name a file of your own" });
  fchmodSync(file, 0o600);
}

/**
 * Opens a file with the results of earlier runs, to which those of this run are added. Results of other targets in it do not count.
 * Lines are written one by one, so that none is lost when the batch ends early. A dry run only reads the file.
 */
export async function openResultLog(path: string, target: string, dryRun: boolean) {
  try {
    const place = await resolveLinks(path);
    const file = dryRun ? undefined : openSync(place, "a+", 0o600);
    if (file !== undefined) keepPrivate(file, path);
    const text = file !== undefined || existsSync(place) ? readFileSync(place, "utf8") : "";
    const { done, unknown } = readLog(text, target);
    // The last line may be cut.
    if (file !== undefined && text !== "" && !text.endsWith("\n")) appendFileSync(file, "\n");
    const add = (line: Omit<LoggedLine, "target">) => {
      if (file !== undefined) appendFileSync(file, `${JSON.stringify({ target, ...line })}\n`);
    };
    return {
      /** Returns true once for each time that the command is done in the file. */
      takeDone(command: string): boolean {
        const left = done.get(command) ?? 0;
        if (left > 0) done.set(command, left - 1);
        return left > 0;
      },
      /** Returns the key of a row that began earlier and whose outcome is unknown, or a new one. */
      begin(line: number, command: string): string {
        const [key] = [...unknown].find(([, each]) => each === command) ?? [randomUUID()];
        unknown.delete(key);
        add({ line, command, result: "started", key });
        return key;
      },
      end(result: BatchResult, key: string): void {
        add({ ...result, key });
      },
      [Symbol.dispose](): void {
        if (file !== undefined) closeSync(file);
      },
    };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw cannotWrite(path, error);
  }
}

/** Returns how often each command is done, and the commands by key whose rows began and may be done or not. */
function readLog(text: string, target: string) {
  const done = new Map<string, number>();
  const unknown = new Map<string, string>();
  for (const line of text.split("\n")) {
    const found = tryParseJson(line) as Partial<LoggedLine> | null | undefined;
    if (found?.command === undefined || found.target !== target) continue;
    const { command, key = "" } = found;
    if (found.result === "started") unknown.set(key, command);
    else if (found.exit !== errorCodes.unavailable.exit) unknown.delete(key);
    if (found.result === "done") done.set(command, (done.get(command) ?? 0) + 1);
  }
  return { done, unknown };
}
