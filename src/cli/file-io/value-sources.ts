import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { pluralize } from "../../contract/count-text.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { bytesAsText } from "../output/format-bytes.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { pathReasons } from "./path-reasons.ts";

export type Sources = ReturnType<typeof createSources>;

/** Returns functions that read long and secret values. `flag` names the flag in errors. */
export function createSources(terminal: Terminal) {
  let reader: string | undefined;
  let secrets: Promise<readonly string[]> | undefined;
  const claim = (flag: string) => {
    if (reader !== undefined) throw refuseReaders([reader, flag]);
    reader = flag;
  };
  const sources = {
    /** Returns the text itself, the content of `@file`, stdin for `-`, or `@...` for `@@...`. */
    async value(text: string, flag: string, ifEmpty?: string): Promise<string> {
      if (text === "-") return sources.stdin(flag, ifEmpty);
      if (text.startsWith("@@")) return text.slice(1);
      if (!text.startsWith("@")) return text;
      if (terminal.fileValues?.has(text) === false)
        throw new UsageError(`${flag}: '${text}' would be read as the name of a file`, {
          hint: "write @@ in place of @",
        });
      return readNamedFile(text.slice(1), flag, { hint: "write @@ for a text that begins with @", ifEmpty });
    },
    async stdin(flag: string, ifEmpty?: string | null): Promise<string> {
      claim(flag);
      return decodeText(await terminal.readBytes(), `${flag}: stdin`, ifEmpty);
    },
    /** Returns the text of a file, or of stdin for `-`. */
    async file(path: string, flag: string, ifEmpty?: string): Promise<string> {
      return path === "-" ? sources.stdin(flag, ifEmpty) : readNamedFile(path, flag, { ifEmpty });
    },
    /** Returns the line of stdin for one of the flags that each read a line, in the order of `flags`. */
    async secret(flag: string, flags: readonly string[] = [flag]): Promise<string> {
      secrets ??= sources.stdin(flags.join(" and ")).then((text) => splitSecrets(text, flags));
      return (await secrets)[flags.indexOf(flag)] ?? "";
    },
    /** Returns the bytes of stdin. Throws a `UsageError` when there are more than `max`. */
    async bytes(flag: string, max: number): Promise<Buffer> {
      claim(flag);
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of terminal.input()) {
        size += chunk.length;
        if (size > max) throw new UsageError(`${flag}: stdin has more than ${bytesAsText(max)}`);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    },
  };
  return sources;
}

export const refuseReaders = (flags: readonly string[]): UsageError =>
  new UsageError(`only one of ${flags.join(" and ")} can read stdin`);

interface Limits {
  /** Added to the error when the file cannot be read. */
  readonly hint?: string;
  /** Maximum size in bytes. */
  readonly max?: number;
  /** Added to the error when the file is empty. */
  readonly ifEmpty?: string;
}

/** Returns the text of a file without its last line break. Throws a `UsageError` when it cannot be read, is empty or is not UTF-8. */
export function readNamedFile(
  path: string,
  flag: string,
  { hint, max = Number.POSITIVE_INFINITY, ifEmpty }: Limits = {},
): string {
  let bytes: Buffer | undefined;
  try {
    bytes = statSync(path).size > max ? undefined : readFileSync(path);
  } catch (error) {
    throw new UsageError(`${flag}: ${readFailure(error, path)}`, { hint });
  }
  if (bytes === undefined) throw new UsageError(`${flag}: ${path} is larger than ${bytesAsText(max)}`);
  return decodeText(bytes, `${flag}: ${path}`, ifEmpty);
}

export const readSecretFile = (path: string, flag: string): string =>
  requireOneLine(readNamedFile(path, flag), `${flag}: ${path}`);

/** Throws a `UsageError` for a secret of several lines, which no prompt could take. */
function requireOneLine(text: string, name: string): string {
  const { length } = text.split(/\r\n|\n|\r/);
  if (length > 1) throw new UsageError(`${name} has ${length} lines, and a secret is one line`);
  return text;
}

function splitSecrets(text: string, flags: readonly string[]): readonly string[] {
  if (flags.length === 1) return [requireOneLine(text, `${flags[0]}: stdin`)];
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.length === flags.length) return lines;
  throw new UsageError(
    `stdin has ${pluralize(lines.length, "line")}, but needs one for each of ${flags.join(", ")}, in this order`,
  );
}

/**
 * Decodes UTF-8, without the byte order mark that editors on Windows write, and without the last line break. Throws a
 * `UsageError` for other bytes, as Node would replace them, and different passwords would be equal; and when there is no text,
 * as after a command in a pipe that failed, with `ifEmpty` as hint; null accepts it.
 */
function decodeText(bytes: Buffer, name: string, ifEmpty?: string | null): string {
  if (!isUtf8(bytes)) throw notUtf8(name);
  const text = bytes.toString("utf8").replace(/^\ufeff|\r?\n$/g, "");
  if (text === "" && ifEmpty !== null) throw new UsageError(`${name} is empty`, { hint: ifEmpty });
  return text;
}

export const notUtf8 = (name: string): UsageError =>
  new UsageError(`${name} is not encoded in UTF-8`, { hint: "convert it to UTF-8 first" });

export function readFailure(error: unknown, path: string): string {
  const { code = "unknown reason" } = error as NodeJS.ErrnoException;
  const denied = `no permission to read ${path}`;
  const reasons: Readonly<Record<string, string>> = { ENOENT: `no such file: ${path}`, EACCES: denied, EPERM: denied };
  return reasons[code] ?? `cannot read ${path}: ${pathReasons[code] ?? code}`;
}
