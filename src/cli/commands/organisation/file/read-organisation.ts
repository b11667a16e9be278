import type { DatabaseSync } from "node:sqlite";
import { isNode, isScalar } from "yaml";
import { ServiceError } from "../../../../contract/errors.ts";
import { once } from "../../../../contract/once.ts";
import { limitHeap } from "../../../file-io/heap-limit.ts";
import type { Source } from "../../../file-io/open-source.ts";
import { type ParsedYaml, parseYaml } from "../../../file-io/parse-yaml.ts";
import { tooDeep } from "../../../file-io/too-deep.ts";
import type { Context } from "../../../kit/command-spec.ts";
import { writeErrorLines } from "../../../terminal/write-error-lines.ts";
import { type FileChunk, NotSeparable, parseChunk } from "./file-chunk.ts";
import { createIssues, type FileLocation, type Path } from "./file-issues.ts";
import { collectOrganisation } from "./organisation-entries.ts";
import { splitJson } from "./split-json.ts";
import { splitYaml } from "./split-yaml.ts";

/** A file of 16 MiB takes 2 GB of memory while it is parsed as a whole. */
const maxWholeSize = 16_777_216;

/**
 * Reads the valid content of an organisation as YAML or JSON, and the issues of the rest, which read the source again. Reads it
 * entry by entry if it can; a small file may use all of YAML.
 */
export async function readOrganisation(source: Source, context: Context, scratch: DatabaseSync) {
  try {
    return await readInParts(source, context, scratch);
  } catch (error) {
    if (!(error instanceof NotSeparable)) throw error;
    if ((source.size ?? 0) <= maxWholeSize) return readWhole(source, context, scratch);
    writeErrorLines([`${source.label}:${error.line}: ${error.message}`], context.terminal);
    throw refused(
      `${source.label} is larger than 16 MiB and cannot be read entry by entry; nothing was changed.`,
      "Write a large file as wcs export does, or split it.",
    );
  }
}

async function readInParts(source: Source, context: Context, scratch: DatabaseSync) {
  const issues = createIssues(source.label, (paths) => locateInParts(source, paths), context);
  const found = collectOrganisation(issues, scratch);
  const lists = new Map<string, FileChunk["list"]>();
  for await (const chunk of chunksOf(source)) {
    const value = parseChunk(chunk);
    const { list, line } = chunk;
    const names = list ? [list.name] : Object.keys(value ?? {});
    for (const name of names) {
      // The parser of the whole file explains a field that occurs twice.
      if (lists.has(name) && (list === undefined || lists.get(name) !== list)) {
        throw new NotSeparable(line, `${name} occurs twice.`);
      }
      lists.set(name, list);
    }
    if (list) found.addEntries(list.name, value as unknown[]);
    else for (const [name, content] of Object.entries(value ?? {})) found.addField(name, content);
  }
  if (lists.size === 0) throw new NotSeparable(1, "There are no fields.");
  return { organisation: found.organisation, issues };
}

async function readWhole(source: Source, context: Context, scratch: DatabaseSync) {
  let text = "";
  for await (const part of textsOf(source)) text += part;
  const content = contentOf(text, source.label, context);
  // The parsed document takes a hundred times the memory of the file, so it is parsed again only for the lines of issues.
  const again = once(() => parseYaml(text));
  const locate = async (paths: readonly Path[]) => paths.map((path) => locationIn(again(), path));
  const issues = createIssues(source.label, locate, context);
  const found = collectOrganisation(issues, scratch);
  found.addFile(content);
  return { organisation: found.organisation, issues };
}

/** Maximum number of syntax errors that are shown. One of them can make an error of each line that follows it. */
const maxSyntaxErrors = 20;

function contentOf(text: string, label: string, { terminal }: Context): unknown {
  const { parsed, lines, isTooDeep } = parseYaml(text);
  const { length } = parsed.errors;
  if (length > 0) {
    const shown = parsed.errors.slice(0, maxSyntaxErrors);
    const broken = shown.map(({ message, pos: [at] }) => `${label}:${lines.linePos(at).line}: ${message}`);
    if (length > shown.length) broken.push(`${label}: and ${length - shown.length} more, perhaps because of these`);
    writeErrorLines(broken, terminal);
    throw refused(`${label} is ${isTooDeep ? tooDeep : "neither YAML nor JSON"}; nothing was changed.`);
  }
  try {
    return parsed.toJS();
  } catch {
    // A few lines of nested aliases can expand to gigabytes.
    throw refused(`${label} has an undefined alias or too many aliases.`);
  }
}

async function* chunksOf(source: Source): AsyncGenerator<FileChunk> {
  const texts = textsOf(source);
  const { value: first = "" } = await texts.next();
  async function* all() {
    yield first;
    yield* texts;
  }
  yield* /^\s*\{/.test(first) ? splitJson(all()) : splitYaml(all());
}

async function* textsOf(source: Source): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for await (const chunk of source.read()) {
      limitHeap(8_388_608);
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    throw error instanceof TypeError
      ? refused(`${source.label} is not encoded in UTF-8. Convert it to UTF-8 first.`)
      : error;
  }
}

/** Returns the location of each path. Reads the file again, because positions of all values would take much memory. */
async function locateInParts(source: Source, paths: readonly Path[]): Promise<FileLocation[]> {
  const wanted = Map.groupBy(paths, ([name]) => name);
  const found = new Map<Path, FileLocation>();
  const count = new Map<string, number>();
  for await (const chunk of chunksOf(source)) {
    const { list, line, entries, text } = chunk;
    const first = count.get(list?.name ?? "") ?? 0;
    if (list) count.set(list.name, first + entries);
    const parse = once(() => parseYaml(text));
    const locate = (path: Path) => {
      const location = locationIn(parse(), path);
      return { ...location, line: line + location.line - 1 };
    };
    const names = list ? [list.name] : Object.keys((parseChunk(chunk) as object | null) ?? {});
    for (const path of names.flatMap((name) => wanted.get(name) ?? [])) {
      const [, at, ...rest] = path;
      if (list === undefined) found.set(path, locate(path));
      else if (typeof at !== "number") found.set(path, { line: list.line });
      else if (at >= first && at < first + entries) found.set(path, locate([at - first, ...rest]));
    }
  }
  return paths.map((path) => found.get(path) ?? { line: 1 });
}

/** Returns the location of the value at a path, or of its nearest existing ancestor. */
function locationIn({ parsed, lines }: ParsedYaml, path: Path): FileLocation {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? parsed.contents : parsed.getIn(path.slice(0, length), true);
    if (!isNode(node) || !node.range) continue;
    const { line } = lines.linePos(node.range[0]);
    return isScalar(node) && node.source !== undefined ? { line, source: node.source } : { line };
  }
  return { line: 1 };
}

const refused = (message: string, hint?: string) => new ServiceError("validation_failed", message, { hint });
