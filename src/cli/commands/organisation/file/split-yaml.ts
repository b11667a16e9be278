import { type FileChunk, maxEntries, NotSeparable } from "./file-chunk.ts";

/** Splits YAML with a field on each top-level line, and an item of a list on each line that begins with a dash. */
export async function* splitYaml(texts: AsyncIterable<string>): AsyncGenerator<FileChunk> {
  const splitter = createSplitter();
  let rest = "";
  for await (const text of texts) {
    const lines = (rest + text).split(/(?<=\n)/);
    rest = lines.pop() ?? "";
    for (const line of lines) yield* splitter.next(line);
  }
  if (rest !== "") yield* splitter.next(rest);
  yield* splitter.flush();
}

function createSplitter() {
  let at = 0;
  let begin = 1;
  let text: string[] = [];
  let entries = 0;
  let list: { readonly name: string; readonly line: number; readonly indent: number } | undefined;
  /** The name of a field whose value may be a list on the next lines. */
  let open: string | undefined;

  const add = (line: string) => {
    if (text.length === 0) begin = at;
    text.push(line);
  };
  function* flush(): Generator<FileChunk> {
    if (text.length > 0) yield { text: text.join(""), line: begin, entries, ...(list && { list }) };
    text = [];
    entries = 0;
  }
  function* next(line: string): Generator<FileChunk> {
    at += 1;
    // A comment may also be a line of a text of several lines.
    if (/^\s*(#|$)/.test(line)) return add(line);
    const indent = line.search(/[^ ]/);
    const isItem = /^-\s/.test(line.slice(indent));
    if (list) {
      if (isItem && indent === list.indent) {
        if (entries === maxEntries) yield* flush();
        entries += 1;
        return add(line);
      }
      if (indent > 0) return add(line);
      yield* flush();
      list = undefined;
    }
    if (isItem && open !== undefined) {
      list = { name: open, line: at, indent };
      text = [];
      entries = 1;
      open = undefined;
      return add(line);
    }
    if (indent === 0) {
      yield* flush();
      const field = /^([A-Za-z_$][\w$-]*):\s*(\S?)/.exec(line);
      if (field === null) throw new NotSeparable(at, "The line is neither a field nor an item of a list.");
      open = field[2] === "" || field[2] === "#" ? field[1] : undefined;
    } else open = undefined;
    add(line);
  }
  return { next, flush };
}
