import { readFileSync } from "node:fs";
import { UsageError } from "./failure.ts";
import type { Terminal } from "./terminal.ts";

/** Where long and secret values come from. `for` names the flag, for the message when it does not work. */
export interface Sources {
  /** The value itself, `@file`, `-` for stdin, or `@@...` for a value that begins with `@`. */
  value(text: string, flag: string): Promise<string>;
  stdin(flag: string): Promise<string>;
  file(path: string, flag: string): string;
}

export function createSources(terminal: Terminal): Sources {
  let reader: string | undefined;
  const sources: Sources = {
    async value(text, flag) {
      if (text === "-") return sources.stdin(flag);
      if (text.startsWith("@@")) return text.slice(1);
      return text.startsWith("@") ? sources.file(text.slice(1), flag) : text;
    },
    async stdin(flag) {
      if (reader !== undefined) throw new UsageError(`stdin cannot be read twice, by ${reader} and ${flag}`);
      reader = flag;
      return withoutLastBreak(await terminal.read());
    },
    file(path, flag) {
      try {
        return withoutLastBreak(readFileSync(path, "utf8"));
      } catch (error) {
        throw new UsageError(`${flag}: ${reason(error, path)}`);
      }
    },
  };
  return sources;
}

const withoutLastBreak = (text: string) => text.replace(/\r?\n$/, "");

/** Why a file could not be used, as a sentence. */
export function reason(error: unknown, path: string): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
      return `there is no file ${path}`;
    case "EACCES":
    case "EPERM":
      return `${path} may not be read`;
    case "EISDIR":
      return `${path} is a directory`;
    default:
      return `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown reason"})`;
  }
}
