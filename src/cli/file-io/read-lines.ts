import { isUtf8 } from "node:buffer";
import { TextDecoder } from "node:util";
import { ServiceError } from "../../contract/errors.ts";

/** Maximum characters of a row: ten times the longest valid one. */
export const maxRowLength = 131_072;

/** A batch of lines without their "\n", and the number of the first. Unless it is `whole`, U+FFFD replaces invalid bytes. */
export type Lines = ReturnType<typeof split>;

const newline = 10;
const maxLineLength = 4_194_304;

/** Yields the lines of a text in batches. The encoding is UTF-8, or UTF-16 with a byte order mark. */
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
    if (size > maxLineLength)
      throw new ServiceError("validation_failed", `${label}: line ${first} is too long for a row.`);
  }
  if (size > 0) yield split(rest, new Uint8Array(), first);
}

function split(before: readonly Uint8Array[], chunk: Uint8Array, first: number) {
  const bytes =
    before.length > 0 ? Buffer.concat([...before, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  const lines: string[] = [];
  let start = first === 1 && bytes.indexOf("\ufeff") === 0 ? 3 : 0;
  // Decoded line by line: one character beyond Latin-1 doubles the memory of a string and its substrings.
  for (;;) {
    const end = bytes.indexOf(newline, start);
    lines.push(bytes.toString("utf8", start, end < 0 ? bytes.length : end));
    if (end < 0) break;
    start = end + 1;
  }
  return { lines, first, whole: isUtf8(bytes) };
}

const byteOrderMarks: Readonly<Record<string, string>> = { "255,254": "utf-16le", "254,255": "utf-16be" };

/** Converts UTF-16 to UTF-8. Spreadsheets save "Unicode text" as UTF-16. */
async function* inUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let decoder: TextDecoder | undefined;
  let begun = false;
  for await (const chunk of chunks) {
    if (!begun) {
      const mark = byteOrderMarks[chunk.subarray(0, 2).join()];
      if (mark) decoder = new TextDecoder(mark);
      begun = true;
    }
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
  }
}
