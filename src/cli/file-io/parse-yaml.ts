import { Composer, type CST, type Document, isScalar, Lexer, LineCounter, Parser, visit, YAMLParseError } from "yaml";
import { maxNesting } from "../../contract/nesting.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { tooDeep } from "./too-deep.ts";

export type ParsedYaml = ReturnType<typeof parseYaml>;

/**
 * Parses YAML or JSON with positions. Stops at too many levels, because the library would overflow the stack after a long time;
 * `isTooDeep` is true then, and the only error says where.
 */
export function parseYaml(text: string) {
  const lines = new LineCounter();
  const parser = new Parser(lines.addNewLine);
  /** Offset at which the text gets too deep. */
  let bottom: number | undefined;
  function* tokens() {
    lines.addNewLine(0);
    for (const lexeme of new Lexer().lex(text)) {
      yield* parser.next(lexeme);
      const { offset, stack } = parser;
      // The first on the stack is the document, and the last may be a scalar.
      if (stack.length > maxNesting + 1 && "items" in (stack.at(-1) ?? {})) bottom = offset;
      if (bottom !== undefined) break;
    }
    yield* parser.end();
  }
  const [parsed, another] = compose(tokens(), text.length);
  if (another) {
    const [start, end] = another.range;
    parsed.errors.push(new YAMLParseError([start, end], "MULTIPLE_DOCS", "The file must not have several documents."));
  }
  addDuplicateKeys(parsed);
  const end = bottom;
  if (end === undefined) return { lines, parsed, isTooDeep: false };
  // After an error the parser may overestimate the depth.
  const before = parsed.errors.filter(({ pos: [at] }) => at < end);
  const issue = new YAMLParseError([end, end], "RESOURCE_EXHAUSTION", `The file is ${tooDeep}.`);
  parsed.errors = before.length > 0 ? before : [issue];
  return { lines, parsed, isTooDeep: before.length === 0 };
}

/** Returns the first document (an empty text has one, too), and the second one, if any. */
function compose(tokens: Iterable<CST.Token>, end: number): [Document.Parsed, Document.Parsed | undefined] {
  const { stackTraceLimit } = Error;
  // A text can have an error in each character, and their stack traces would take longer than parsing.
  Error.stackTraceLimit = 0;
  try {
    const documents = new Composer({ prettyErrors: false, uniqueKeys: false }).compose(tokens, true, end);
    // `true` makes a document of an empty text.
    return [documents.next().value as Document.Parsed, documents.next().value as Document.Parsed | undefined];
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Adds an error for each key that occurs twice. The library would compare each key with all before it. */
function addDuplicateKeys(parsed: Document.Parsed): void {
  const { length } = parsed.errors;
  visit(parsed, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const [start = 0, end = 0] = key.range ?? [];
        if (seen.has(key.value)) {
          parsed.errors.push(new YAMLParseError([start, end], "DUPLICATE_KEY", "Map keys must be unique"));
        }
        seen.add(key.value);
      }
    },
  });
  if (parsed.errors.length > length) parsed.errors.sort((a, b) => a.pos[0] - b.pos[0]);
}

/** Returns the content of a small file; an empty one has no fields. Refuses aliases, because nested ones can take all memory. */
export function plainContent(parsed: Document, label: string): unknown {
  try {
    return parsed.toJS({ maxAliasCount: 0 }) ?? {};
  } catch {
    throw new UsageError(`${label} has aliases; write each value in its place`);
  }
}
