import { appendFileSync, closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { tryParseJson } from "../../../contract/parse-json.ts";
import { UsageError } from "../../errors/cli-errors.ts";

export interface BatchResult {
  readonly line: number;
  readonly command: string;
  readonly result: "done" | "failed" | "skipped";
  readonly exit: number;
  /** The output of the command, parsed if it is JSON. */
  readonly output: unknown;
  readonly error: string | null;
}

export type ResultLog = ReturnType<typeof openResultLog>;

/**
 * Opens a file with the results of earlier runs, to which those of this run are added. Results of other targets in it do not count.
 * Results are written one by one, so that none is lost when the batch ends early. A dry run only reads the file.
 */
export function openResultLog(path: string, target: string, dryRun: boolean) {
  try {
    const file = dryRun ? undefined : openSync(path, "a+", 0o600);
    const text = file !== undefined || existsSync(path) ? readFileSync(path, "utf8") : "";
    const done = new Map<string, number>();
    for (const line of text.split("\n")) {
      const command = doneIn(line, target);
      if (command !== undefined) done.set(command, (done.get(command) ?? 0) + 1);
    }
    // The last line may be cut.
    if (file !== undefined && text !== "" && !text.endsWith("\n")) appendFileSync(file, "\n");
    return {
      /** Returns true once for each time that the command is done in the file. */
      takeDone(command: string): boolean {
        const left = done.get(command) ?? 0;
        if (left > 0) done.set(command, left - 1);
        return left > 0;
      },
      add(result: BatchResult): void {
        if (file !== undefined) appendFileSync(file, `${JSON.stringify({ target, ...result })}\n`);
      },
      [Symbol.dispose](): void {
        if (file !== undefined) closeSync(file);
      },
    };
  } catch (error) {
    throw new UsageError(`--results: ${path} cannot be opened (${(error as NodeJS.ErrnoException).code})`);
  }
}

function doneIn(line: string, target: string): string | undefined {
  const found = tryParseJson(line) as Partial<BatchResult & { target: string }> | null | undefined;
  return found?.result === "done" && found.target === target ? found.command : undefined;
}
