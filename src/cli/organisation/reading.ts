import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { ServiceError } from "../../contract/errors.ts";
import { parse } from "../../contract/input.ts";
import { once } from "../../contract/operation.ts";
import { type Field, shape } from "../../contract/shape.ts";
import { pick } from "../fields.ts";
import { nearest } from "../nearest.ts";
import { openSource } from "../transfer/source.ts";
import type { Context } from "../tree.ts";
import { forms, formVersion, type Organisation, type Section, sections } from "./form.ts";
import { createMistakes, type Mistakes, type Path } from "./mistakes.ts";

/** 16 MiB: some 100,000 users, and 2 GB of memory while it is parsed. */
const largest = 16_777_216;

/** What a file says, without what is wrong with it, which `mistakes` know. */
export interface ReadFile {
  readonly label: string;
  readonly organisation: Organisation;
  readonly mistakes: Mistakes;
}

/** Reads an organisation from a file, or from stdin by `-`: YAML, and so JSON, too. */
export async function readOrganisation(context: Context): Promise<ReadFile> {
  const { text, label } = await readText(context);
  const content = contentOf(text, label, context);
  // What a file is parsed into takes a hundred times its room, and is asked for again when something is wrong only.
  const again = once(() => parseText(text));
  const lineOf = (path: Path) => again().lines.linePos(offsetOf(again().parsed, path)).line;
  const mistakes = createMistakes(label, lineOf, context);
  return { label, organisation: organisationIn(content, mistakes), mistakes };
}

function parseText(text: string) {
  const lines = new LineCounter();
  return { lines, parsed: parseDocument(text, { lineCounter: lines, prettyErrors: false }) };
}

/** What the text says, as plain values. */
function contentOf(text: string, label: string, { terminal }: Context): unknown {
  const { parsed, lines } = parseText(text);
  const broken = parsed.errors.map(({ message, pos: [at] }) => `${label}:${lines.linePos(at).line}: ${message}`);
  if (broken.length > 0) {
    terminal.complain(broken.map((line) => `${terminal.plain(line)}\n`).join(""));
    throw refused(`${label} is neither YAML nor JSON; nothing was changed.`);
  }
  try {
    return parsed.toJS();
  } catch {
    // A few lines of references to references can mean gigabytes.
    throw refused(`${label} has an alias that leads nowhere, or more of them than any organisation needs.`);
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
    throw error instanceof TypeError ? refused(`${label} holds bytes that are not UTF-8.`) : error;
  } finally {
    await source.close();
  }
}

const refused = (message: string, hint?: string) =>
  new ServiceError("validation_failed", message, hint === undefined ? {} : { hint });
const tooLarge = (label: string) =>
  refused(`${label} is larger than 16 MiB.`, "Put the users into several files, or let wcs users import take them.");

/** Where the value at a path begins, or the last thing on the way to it that is there. */
function offsetOf(parsed: Document, path: Path): number {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? parsed.contents : parsed.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function organisationIn(value: unknown, mistakes: Mistakes): Organisation {
  if (!isObject(value)) {
    mistakes.add([], `must be an object with ${sections.join(", ")}`);
    return {};
  }
  const { version, ...rest } = value;
  if (version !== undefined && version !== formVersion) mistakes.add(["version"], `must be ${formVersion}`);
  const found: Partial<Record<Section, unknown[]>> = {};
  for (const [name, entries] of Object.entries(rest)) {
    if (!isSection(name)) mistakes.add([name], unknown(name, ["version", ...sections]));
    else if (!Array.isArray(entries)) mistakes.add([name], "must be a list; [] is one without entries");
    else found[name] = entries.map((entry, at) => entryIn(name, entry, at, mistakes));
  }
  return found as Organisation;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isSection = (name: string): name is Section => (sections as readonly string[]).includes(name);

/** The entry without the fields that are wrong, so that what the others mean can be checked, too. */
function entryIn(section: Section, value: unknown, at: number, mistakes: Mistakes): unknown {
  const schema = forms[section]();
  try {
    return parse(schema, value);
  } catch (error) {
    const good: Record<string, unknown> = isObject(value) ? { ...value } : {};
    for (const [name, reasons] of Object.entries((error as ServiceError).fields ?? {})) {
      const path = name === "body" ? [] : name.split(".");
      if (path[0] !== undefined) delete good[path[0]];
      const place = [section, at, ...path.map((part) => (/^\d+$/.test(part) ? Number(part) : part))];
      for (const reason of reasons) mistakes.add(place, explained(reason, path, schema, value));
    }
    return good;
  }
}

/** The reason, with what was probably meant. */
function explained(reason: string, path: readonly string[], schema: z.ZodType, value: unknown): string {
  const wrong = pick(value, path);
  if (reason === "must be a text" && (typeof wrong === "number" || typeof wrong === "boolean")) {
    return `must be a text; write it in quotes: "${wrong}"`;
  }
  if (reason !== "is not a field of this operation") return reason;
  const known = path.slice(0, -1).reduce<Field | undefined>(
    (above, part) => {
      return /^\d+$/.test(part) ? above?.items : above?.fields?.find((field) => field.name === part);
    },
    shape("", schema),
  );
  return unknown(path.at(-1) ?? "", known?.fields?.map((field) => field.name) ?? []);
}

/** So that of several names which go on from what is there, the one that goes on least is taken for meant. */
export const shortestFirst = (names: readonly string[]): string[] => names.toSorted((a, b) => a.length - b.length);

function unknown(name: string, known: readonly string[]): string {
  const meant = nearest(name, shortestFirst(known));
  return meant ? `is unknown; did you mean ${meant}?` : `is unknown; there are ${known.join(", ")}`;
}
