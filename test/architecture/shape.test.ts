import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { expect, it } from "vitest";

const source = join(import.meta.dirname, "../../src");
const longestFile = 300;
const longestFunction = 40;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;
const childrenOf = (node: object): Node[] => Object.values(node).flat().filter(isNode);
const isComment = (line = "") => /^\s*(?:\/\/|\/?\*)/.test(line);

function parse(code: string) {
  const lines = code.split("\n");
  let next = 0;
  const starts = lines.map(({ length }) => {
    const start = next;
    next += length + 1;
    return start;
  });
  const lineAt = (position: number) => starts.findLastIndex((start) => start <= position);
  return { root: parseAst(code, { lang: "ts" }) as Node, lines, lineAt };
}

type Parsed = ReturnType<typeof parse>;

/** Returns the lines with a non-null assertion that have no comment, nor the line above them. */
function assertionsWithoutReason({ root, lines, lineAt }: Parsed): string[] {
  const walk = (node: Node): string[] => {
    const at = lineAt(node.end - 1);
    const line = lines[at] ?? "";
    const isBare = node.type === "TSNonNullExpression" && !/\/\/ |\*\//.test(line) && !isComment(lines[at - 1]);
    return [...(isBare ? [line.trim()] : []), ...childrenOf(node).flatMap(walk)];
  };
  return walk(root);
}

/**
 * Returns the first lines of functions that are too long. Only their own lines of code count: neither comments, nor
 * functions and templates of several lines within them.
 */
function longFunctions({ root, lines, lineAt }: Parsed): string[] {
  const found: string[] = [];
  /** Returns the lines that do not count for the function around the node. */
  const walk = (node: Node): Set<number> => {
    const [first, last] = [lineAt(node.start), lineAt(node.end - 1)];
    const inner = new Set(childrenOf(node).flatMap((child) => [...walk(child)]));
    const isFunction = /Function/.test(node.type) && isNode(node.body) && node.body.type === "BlockStatement";
    if (!isFunction && node.type !== "TemplateLiteral") return inner;
    const all = Array.from({ length: last - first + 1 }, (_, at) => first + at);
    const own = all.filter((at) => !inner.has(at) && lines[at]?.trim() !== "" && !isComment(lines[at]));
    if (isFunction && own.length > longestFunction) found.push(`${lines[first]?.trim()} (${own.length} lines)`);
    return new Set(all.slice(1));
  };
  walk(root);
  return found;
}

const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => ({ name, ...parse(readFileSync(join(source, name), "utf8")) }));

it("assertions without a reason and long functions are recognized", () => {
  const bare = [
    "const a = list[0]!;",
    "// Not empty.",
    "const b = list[0]!;",
    "f(c!); // set above",
    'g("http://x", d!);',
  ];
  expect(assertionsWithoutReason(parse(bare.join("\n")))).toEqual([bare[0], bare[4]]);
  const statements = (count: number) => Array.from({ length: count }, () => "  call();").join("\n");
  const inner = `  const inner = () => {\n${statements(38)}\n  };`;
  const text = `  const text = \`\n${statements(50)}\`;`;
  expect(longFunctions(parse(`function short() {\n${statements(37)}\n  // A comment.\n${inner}\n}`))).toEqual([]);
  expect(longFunctions(parse(`function short() {\n${text}\n${statements(37)}\n}`))).toEqual([]);
  expect(longFunctions(parse(`function long() {\n${statements(39)}\n}`))).toEqual(["function long() { (41 lines)"]);
});

it("every non-null assertion states its reason", () => {
  const bare = files.flatMap((file) => assertionsWithoutReason(file).map((line) => `${file.name}: ${line}`));
  expect(bare).toEqual([]);
});

it("no module makes a regular expression with properties of Unicode when it is loaded, because that takes milliseconds", () => {
  const early = /^(?:export )?const \w+ =\s+\/.*\\p\{/;
  expect(early.test("const letter = /\\p{L}/u;")).toBe(true);
  const found = files.flatMap(({ name, lines }) =>
    lines.flatMap((line, at) => (early.test(`${line}\n${lines[at + 1] ?? ""}`) ? [`${name}: ${line}`] : [])),
  );
  expect(found).toEqual([]);
});

it(`no file is longer than ${longestFile} lines`, () => {
  const long = files.filter(({ lines }) => lines.length - 1 > longestFile);
  expect(long.map(({ name }) => name)).toEqual([]);
});

it(`no function is longer than ${longestFunction} lines`, () => {
  expect(files.flatMap((file) => longFunctions(file).map((line) => `${file.name}: ${line}`))).toEqual([]);
});
