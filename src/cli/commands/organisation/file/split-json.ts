import { deepest } from "../../../../contract/nesting.ts";
import { tooDeep } from "../../../file-io/too-deep.ts";
import { type FileChunk, mostEntries, NotSeparable } from "./file-chunk.ts";

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

  function* flush(): Generator<FileChunk> {
    if (list) yield { text: `[${pending.join(",")}]`, line: pendingLine, list, entries: pending.length };
    pending = [];
  }
  const requireBlank = (isAllowed: boolean) => {
    if (piece.trim() !== "" || !isAllowed) throw new NotSeparable(line, "The file is not JSON.");
  };
  function* endPiece(): Generator<FileChunk> {
    if (piece.trim() === "") return requireBlank(previous !== "comma");
    if (previous === "list") requireBlank(true);
    if (list === undefined) yield { text: `{${piece}}`, line: begin, entries: 0 };
    else {
      if (pending.length === 0) pendingLine = begin;
      pending.push(piece);
      if (pending.length === mostEntries) yield* flush();
    }
  }
  function restart(follows: typeof previous): void {
    piece = "";
    begin = line;
    previous = follows;
  }
  function* endEntry(): Generator<FileChunk, boolean> {
    if (depth !== (list ? 2 : 1)) return false;
    if (piece.trim() === "" && previous !== "list") requireBlank(false);
    yield* endPiece();
    restart("comma");
    return true;
  }
  function beginObject(code: number): boolean {
    depth += 1;
    // Brackets in a comment of YAML count here, but not for the parser of the whole file.
    if (depth > deepest) throw new NotSeparable(line, `The file is ${tooDeep}.`);
    if (depth === 1) requireBlank(code === openObject && previous === "open");
    const name = depth === 2 && code === openList ? /^\s*"([^"\\]*)"\s*:\s*$/.exec(piece)?.[1] : undefined;
    if (name !== undefined) list = { name, line };
    if (depth > 1 && name === undefined) return false;
    restart("open");
    return true;
  }
  function* endObject(code: number): Generator<FileChunk, boolean> {
    depth -= 1;
    if (depth > 1 || (depth === 1 && list === undefined)) return false;
    if (depth < 0 || code !== (list ? closeList : closeObject)) throw new NotSeparable(line, "The file is not JSON.");
    yield* endPiece();
    yield* flush();
    list = undefined;
    restart("list");
    return true;
  }
  /** Returns true when the character begins or ends a piece. */
  function* separate(code: number): Generator<FileChunk, boolean> {
    if (code === comma) return yield* endEntry();
    if (code === openList || code === openObject) return beginObject(code);
    return code === closeList || code === closeObject ? yield* endObject(code) : false;
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
  const end = () => requireBlank(depth === 0);
  return { next, end };
}
