import { tryParseJson } from "../../contract/parse-json.ts";
import { type Lines, maxRowLength } from "./read-lines.ts";

/** One CSV record, which may span several lines, or the reason why it cannot be read. */
export interface CsvRecord {
  readonly line: number;
  /** In characters. */
  readonly size: number;
  readonly cells: readonly string[] | { readonly issue: string };
}

type Found = Omit<CsvRecord, "line"> & { readonly lines: number };

/** Yields CSV records (RFC 4180) in batches. An unclosed quote affects one line; the next line begins a new record. */
export async function* recordsOf(blocks: AsyncIterable<Lines>): AsyncGenerator<CsvRecord[]> {
  let lines: readonly string[] = [];
  let first = 1;
  let delimiter: string | undefined;
  const take = (whole: boolean, last: boolean): CsvRecord[] => {
    const records: CsvRecord[] = [];
    let at = 0;
    for (let text = lines[at]; text !== undefined; text = lines[at]) {
      if (delimiter === undefined && text.trim() !== "") {
        if (/\r./.test(text)) return [{ line: first + at, size: 0, cells: oldLineEnds }];
        // Nothing separates cells in a line of JSON, so that the header can be recognized as one.
        delimiter = /^[[{]/.test(text) && tryParseJson(text) !== undefined ? "\n" : delimiterOf(text);
        // Excel writes such a first line for itself.
        if (/^sep=.\r?$/i.test(text)) {
          at += 1;
          continue;
        }
      }
      const found = recordAt(lines, at, delimiter ?? ",", last);
      if (found === undefined) break;
      const { cells, size } = whole ? found : inUtf8(found);
      if (!isBlank(cells)) records.push({ line: first + at, size, cells });
      at += found.lines;
    }
    lines = lines.slice(at);
    first += at;
    return records;
  };
  let whole = true;
  for await (const block of blocks) {
    whole = block.whole && (lines.length === 0 || whole);
    lines = lines.length === 0 ? block.lines : [...lines, ...block.lines];
    yield take(whole, false);
  }
  yield take(whole, true);
}

const oldLineEnds = { issue: "ends in a carriage return alone; save the file with the line ends of Windows or Unix" };

/** Returns the most frequent delimiter of the header. One before a space decides only a tie: it may be part of a name, and spreadsheets write no space there. */
function delimiterOf(header: string): string {
  const unquoted = header.replace(/(?<=^|[,;\t])"(?:[^"]|"")*(?:"|$)/g, "");
  const count = (text: string, delimiter: string) => text.split(delimiter).length;
  const delimiters = [",", ";", "\t"].map((each) => ({
    each,
    tight: count(unquoted.replaceAll(`${each} `, ""), each),
    all: count(unquoted, each),
  }));
  const [best] = delimiters.toSorted((one, other) => other.tight - one.tight || other.all - one.all);
  return best?.each ?? ",";
}

/** Reads the record that begins at a line. Returns undefined when it may continue after the last line. */
function recordAt(lines: readonly string[], at: number, delimiter: string, last: boolean): Found | undefined {
  let text = lines[at] ?? "";
  if (!text.includes('"')) return { cells: withoutReturn(text).split(delimiter), size: text.length, lines: 1 };
  for (let next = at + 1; text.length <= maxRowLength; ) {
    const cells = split(withoutReturn(text), delimiter);
    if (cells !== undefined) return { cells, size: text.length, lines: "issue" in cells ? 1 : next - at };
    let added: string | undefined;
    do {
      added = lines[next++];
      if (added === undefined) return last ? notClosed : undefined;
      text += `\n${added}`;
    } while (!added.includes('"') && text.length <= maxRowLength);
  }
  return notClosed;
}

const notClosed: Found = { cells: { issue: "has an unclosed quote" }, size: 0, lines: 1 };

const withoutReturn = (text: string) => (text.endsWith("\r") ? text.slice(0, -1) : text);

/** Splits a record with quotes into cells. Returns undefined when it ends inside quotes. */
function split(text: string, delimiter: string): string[] | { issue: string } | undefined {
  const cells: string[] = [];
  for (let at = 0; at <= text.length; at += 1) {
    if (text[at] === '"') {
      const quote = closingQuote(text, at);
      if (quote < 0) return undefined;
      cells.push(text.slice(at + 1, quote).replaceAll('""', '"'));
      at = quote + 1;
      if (at < text.length && text[at] !== delimiter) return { issue: "has text after a closing quote" };
    } else {
      // A quote inside an unquoted cell is an ordinary character.
      const end = text.indexOf(delimiter, at);
      cells.push(end < 0 ? text.slice(at) : text.slice(at, end));
      at = end < 0 ? text.length : end;
    }
  }
  return cells;
}

/** Returns the position of the quote that closes the one at `from`, or -1. Two quotes stand for a quote inside. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function inUtf8(found: Found): Found {
  if ("issue" in found.cells || !found.cells.some((cell) => cell.includes("\ufffd"))) return found;
  return { ...found, cells: { issue: "contains invalid UTF-8; save the file as UTF-8" } };
}

/** Spreadsheets write empty rows. */
const isBlank = (cells: CsvRecord["cells"]) => !("issue" in cells) && cells.every((cell) => cell.trim() === "");
