import { maxNesting } from "../../../../contract/nesting.ts";
import { tooDeep } from "../../../file-io/too-deep.ts";
import { type FileChunk, maxEntries, NotSeparable } from "./file-chunk.ts";

const [newline, quote, backslash, comma] = ["\n", '"', "\\", ","].map((text) => text.charCodeAt(0));
const [openList, closeList, openObject, closeObject] = ["[", "]", "{", "}"].map((text) => text.charCodeAt(0));

const structural = new Set([comma, openList, closeList, openObject, closeObject]);

/** Splits a JSON object into its fields, and their lists into entries. Does not look at the syntax within them. */
export async function* splitJson(texts: AsyncIterable<string>): AsyncGenerator<FileChunk> {
  const splitter = createSplitter();
  for await (const text of texts) yield* splitter.next(text);
  splitter.end();
}

function createSplitter() {
  let line = 1;
  let depth = 0;
  let isQuoted = false;
  let isEscaped = false;
  let list: { readonly name: string; readonly line: number } | undefined;
  /** The text since the last separator, and the line on which it begins. */
  let piece = "";
  let begin = 1;
  /** Entries of the list that are not returned yet. */
  let pending: string[] = [];
  let pendingLine = 1;
  /** Something must follow a comma, and nothing may follow a list but a comma. */
  let previous: "open" | "comma" | "list" = "open";

  const notJson = () => new NotSeparable(line, "The file is not JSON.");
  function* flush(): Generator<FileChunk> {
    if (list) yield { text: `[${pending.join(",")}]`, line: pendingLine, list, entries: pending.length };
    pending = [];
  }
  function* endPiece(mayBeBlank: boolean): Generator<FileChunk> {
    const isBlank = piece.trim() === "";
    if (isBlank ? !mayBeBlank : previous === "list") throw notJson();
    if (isBlank) return;
    if (list === undefined) yield { text: `{${piece}}`, line: begin, entries: 0 };
    else {
      if (pending.length === 0) pendingLine = begin;
      pending.push(piece);
      if (pending.length === maxEntries) yield* flush();
    }
  }
  function restart(follows: typeof previous): true {
    piece = "";
    begin = line;
    previous = follows;
    return true;
  }
  function beginObject(code: number): boolean {
    depth += 1;
    // Brackets in a comment of YAML count here, but not for the parser of the whole file.
    if (depth > maxNesting) throw new NotSeparable(line, `The file is ${tooDeep}.`);
    if (depth === 1 && (piece.trim() !== "" || code !== openObject || previous !== "open")) throw notJson();
    const name = depth === 2 && code === openList ? /^\s*"([^"\\]*)"\s*:\s*$/.exec(piece)?.[1] : undefined;
    if (name !== undefined) list = { name, line };
    return (depth === 1 || name !== undefined) && restart("open");
  }
  /** Returns true when the character begins or ends a piece. */
  function* separate(code: number): Generator<FileChunk, boolean> {
    if (code === openList || code === openObject) return beginObject(code);
    const level = list ? 2 : 1;
    if (code === comma) {
      if (depth !== level) return false;
      yield* endPiece(previous === "list");
      return restart("comma");
    }
    depth -= 1;
    if (depth >= level) return false;
    if (code !== (list ? closeList : closeObject)) throw notJson();
    yield* endPiece(previous !== "comma");
    yield* flush();
    list = undefined;
    return restart("list");
  }
  function* next(text: string): Generator<FileChunk> {
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === newline) line += 1;
      if (isQuoted) {
        if (isEscaped) isEscaped = false;
        else if (code === backslash) isEscaped = true;
        else if (code === quote) isQuoted = false;
      } else if (code === quote) isQuoted = true;
      else if (structural.has(code)) {
        piece += text.slice(from, at);
        from = at;
        if (yield* separate(code)) from = at + 1;
      }
    }
    piece += text.slice(from);
  }
  function end(): void {
    if (depth !== 0 || piece.trim() !== "") throw notJson();
  }
  return { next, end };
}
