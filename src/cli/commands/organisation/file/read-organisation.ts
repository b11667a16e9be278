import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { ServiceError } from "../../../../contract/errors.ts";
import { type Field, shape } from "../../../../contract/field-spec.ts";
import type { Issue } from "../../../../contract/issue-messages.ts";
import { once } from "../../../../contract/operation.ts";
import { tryParse } from "../../../../contract/parse-input.ts";
import { suggestName } from "../../../errors/nearest-name.ts";
import { openSource } from "../../../file-io/open-source.ts";
import type { Context } from "../../../kit/command-spec.ts";
import { pick } from "../../../output/field-selection.ts";
import { createIssues, type FileIssues, type Path } from "./file-issues.ts";
import { forms, formVersion, type Organisation, type OrganisationSection, sections } from "./organisation-schema.ts";

/** 16 MiB hold about 100,000 users and take 2 GB of memory while they are parsed. */
const largest = 16_777_216;

/** The valid content of a file, and the issues of the rest. */
export interface ReadFile {
  readonly label: string;
  readonly organisation: Organisation;
  readonly issues: FileIssues;
}

/** Reads an organisation from a file, or from stdin for `-`, as YAML or JSON. */
export async function readOrganisation(context: Context): Promise<ReadFile> {
  const { text, label } = await readText(context);
  const content = contentOf(text, label, context);
  // The parsed document takes a hundred times the memory of the file, so it is parsed again only for the lines of issues.
  const again = once(() => parseText(text));
  const lineOf = (path: Path) => again().lines.linePos(offsetOf(again().parsed, path)).line;
  const issues = createIssues(label, lineOf, context);
  return { label, organisation: organisationIn(content, issues), issues };
}

function parseText(text: string) {
  const lines = new LineCounter();
  return { lines, parsed: parseDocument(text, { lineCounter: lines, prettyErrors: false }) };
}

/** Parses the text into plain values. */
function contentOf(text: string, label: string, { terminal }: Context): unknown {
  const { parsed, lines } = parseText(text);
  const broken = parsed.errors.map(({ message, pos: [at] }) => `${label}:${lines.linePos(at).line}: ${message}`);
  if (broken.length > 0) {
    terminal.complain(broken.map((line) => `${terminal.sanitizeLine(line)}\n`).join(""));
    throw refused(`${label} is neither YAML nor JSON; nothing was changed.`);
  }
  try {
    return parsed.toJS();
  } catch {
    // A few lines of nested aliases can expand to gigabytes.
    throw refused(`${label} has an undefined alias or too many aliases.`);
  }
}

async function readText(context: Context): Promise<{ text: string; label: string }> {
  const stop = new AbortController();
  const source = await openSource(String(context.args.file), context.terminal, { again: false, signal: stop.signal });
  const { label } = source;
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of source.read()) {
      if (source.position > largest) throw tooLarge(label);
      chunks.push(chunk);
    }
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)), label };
  } catch (error) {
    throw error instanceof TypeError ? refused(`${label} is not UTF-8.`) : error;
  } finally {
    await source.close();
  }
}

const refused = (message: string, hint?: string) =>
  new ServiceError("validation_failed", message, hint === undefined ? {} : { hint });
const tooLarge = (label: string) =>
  refused(`${label} is larger than 16 MiB.`, "Split the file, or import the users with wcs users import.");

/** Returns the offset of the value at a path, or of its nearest existing ancestor. */
function offsetOf(parsed: Document, path: Path): number {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? parsed.contents : parsed.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function organisationIn(value: unknown, issues: FileIssues): Organisation {
  if (!isObject(value)) {
    issues.add([], `must be an object with ${sections.join(", ")}`);
    return {};
  }
  const { version, $schema: _, ...rest } = value;
  if (version !== undefined && version !== formVersion) issues.add(["version"], `must be ${formVersion}`);
  const found: Partial<Record<OrganisationSection, unknown[]>> = {};
  for (const [name, entries] of Object.entries(rest)) {
    if (!isSection(name)) issues.add([name], unknown(name, ["version", ...sections]));
    else if (!Array.isArray(entries)) issues.add([name], "must be a list; an empty list is []");
    else found[name] = entries.map((entry, at) => entryIn(name, entry, at, issues));
  }
  return found as Organisation;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isSection = (name: string): name is OrganisationSection => (sections as readonly string[]).includes(name);

/** Returns the entry without its wrong fields, so that the other fields can be checked, too. */
function entryIn(section: OrganisationSection, value: unknown, at: number, issues: FileIssues): unknown {
  const schema = forms[section]();
  const result = tryParse(schema, value);
  if (result.ok) return result.value;
  const good: Record<string, unknown> = isObject(value) ? { ...value } : {};
  for (const [name, reasons] of Object.entries(result.fields)) {
    const path = name === "body" ? [] : name.split(".");
    if (path[0] !== undefined) delete good[path[0]];
    const place = [section, at, ...path.map((part) => (/^\d+$/.test(part) ? Number(part) : part))];
    const issue = result.issues.find(({ field }) => field === name);
    const better = issue && explained(issue, path, schema, value);
    for (const reason of better === undefined ? reasons : [better]) issues.add(place, reason);
  }
  return good;
}

/** Returns a message with the probable correction, for the issues that have one. */
function explained(issue: Issue, path: readonly string[], schema: z.ZodType, value: unknown): string | undefined {
  const wrong = pick(value, path);
  if (issue.code === "wrong_type" && issue.params?.expected === "string") {
    return typeof wrong === "number" || typeof wrong === "boolean"
      ? `must be text; put it in quotes: "${wrong}"`
      : undefined;
  }
  if (issue.code !== "unknown_field") return undefined;
  const known = path.slice(0, -1).reduce<Field | undefined>(
    (above, part) => {
      return /^\d+$/.test(part) ? above?.items : above?.fields?.find((field) => field.name === part);
    },
    shape("", schema),
  );
  return unknown(path.at(-1) ?? "", known?.fields?.map((field) => field.name) ?? []);
}

/** Sorts names by length, so that the shortest of several completions is suggested. */
export const shortestFirst = (names: readonly string[]): string[] => names.toSorted((a, b) => a.length - b.length);

function unknown(name: string, known: readonly string[]): string {
  const meant = suggestName(name, shortestFirst(known));
  return meant ? `is unknown; did you mean ${meant}?` : `is unknown; known are ${known.join(", ")}`;
}
