import { isUtf8 } from "node:buffer";
import { TextDecoder } from "node:util";
import { ServiceError } from "../../contract/errors.ts";

/** No row is longer, in characters: ten times what the longest good one has. */
export const longestRow = 131_072;

/** Some lines of a text, without the "\n" at their ends. */
export interface Lines {
  readonly lines: readonly string[];
  /** Number of the first of them, from 1. */
  readonly first: number;
  /** Whether all bytes were UTF-8; where they were not, there is U+FFFD. */
  readonly whole: boolean;
}

const newline = 10;
const longestLine = 4_194_304;

/** The lines of a text in UTF-8, or in UTF-16 with a byte order mark, some at a time. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, label: string): AsyncGenerator<Lines> {
  let first = 1;
  let rest: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of inUtf8(chunks)) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end > 0) {
      const read = split(rest, chunk.subarray(0, end), first);
      read.lines.pop();
      yield read;
      first += read.lines.length;
      rest = [];
      size = 0;
    }
    if (end < chunk.length) rest.push(chunk.subarray(end));
    size += chunk.length - end;
    if (size > longestLine)
      throw new ServiceError("validation_failed", `${label}: line ${first} is too long for a row.`);
  }
  if (size > 0) yield split(rest, new Uint8Array(), first);
}

function split(before: readonly Uint8Array[], chunk: Uint8Array, first: number) {
  const bytes =
    before.length > 0 ? Buffer.concat([...before, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  const lines: string[] = [];
  let start = first === 1 && bytes.indexOf("\ufeff") === 0 ? 3 : 0;
  // One by one: a text with a single letter beyond Latin-1 takes twice the memory, and so do all its parts.
  for (;;) {
    const end = bytes.indexOf(newline, start);
    lines.push(bytes.toString("utf8", start, end < 0 ? bytes.length : end));
    if (end < 0) break;
    start = end + 1;
  }
  return { lines, first, whole: isUtf8(bytes) };
}

/** Spreadsheets save "Unicode text" as UTF-16. */
async function* inUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let decoder: TextDecoder | undefined;
  let begun = false;
  for await (const chunk of chunks) {
    if (!begun) {
      const mark =
        chunk[0] === 0xff && chunk[1] === 0xfe
          ? "utf-16le"
          : chunk[0] === 0xfe && chunk[1] === 0xff
            ? "utf-16be"
            : undefined;
      if (mark) decoder = new TextDecoder(mark);
      begun = true;
    }
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
  }
}
