import { memoize } from "../contract/bounded-map.ts";
import { type FieldErrors, invalid, ServiceError } from "../contract/errors.ts";
import { type Field, fieldsOf, pathFields } from "../contract/field-spec.ts";
import type { AnyOperation } from "../contract/operation.ts";
import { tryParseInput } from "../contract/parse-input.ts";
import { isRecord } from "../contract/parse-json.ts";
import { encodeRequest, hasBody, type WireOutput } from "./encode-request.ts";

/** Input of an operation as received. `query` has no question mark; `params` are decoded and in the order of the path. */
interface WireInput {
  readonly params: readonly string[];
  readonly query: string;
  readonly body?: unknown;
}

const unknown = "is not a field of this operation";

/** Decodes the input of an operation. Throws `validation_failed` with every wrong field if one cannot be decoded. */
export function decode(op: AnyOperation, wire: WireInput): Record<string, unknown> {
  const { input, refused } = decodeWire(op, wire);
  if (refused === undefined) return input;
  const result = tryParseInput(op, input);
  throw withRefused(result.ok ? invalid({}) : invalid(result.fields, result.issues), refused);
}

/** Decodes an input, and the wrong fields that are not in it. Values of a wrong type stay in it, since the schema reports them. */
export function decodeWire(op: AnyOperation, wire: WireInput) {
  const plan = planOf(op);
  // Without a prototype, because a field may be called __proto__.
  const issues: FieldErrors = Object.create(null);
  let input: Record<string, unknown>;
  if (hasBody(op)) {
    input = bodyFields(wire.body, issues);
    for (const { name } of parsePairs(wire.query)) issues[name] = [plan.rest.has(name) ? "goes in the body" : unknown];
    for (const { name } of plan.path) if (Object.hasOwn(input, name)) issues[name] = [unknown];
  } else {
    input = queryFields(wire.query, plan, issues);
  }
  Object.assign(input, pathInput(plan, wire.params));
  return { input, refused: Object.keys(issues).length > 0 ? issues : undefined };
}

/** Returns an error about the input with the `refused` fields as well, by their names in the request. */
export function withRefused(error: unknown, refused: FieldErrors | undefined): unknown {
  if (refused === undefined || !(error instanceof ServiceError) || error.fields === undefined) return error;
  const issues = error.issues.filter(({ field }) => !Object.hasOwn(refused, field));
  return invalid(Object.assign(Object.create(null), error.fields, refused), issues);
}

export function decodePath(op: AnyOperation, params: readonly string[]): Record<string, unknown> {
  return pathInput(planOf(op), params);
}

function pathInput({ path }: Plan, params: readonly string[]): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [i, { name, field }] of path.entries()) {
    const text = params[i] ?? "";
    input[name] =
      field.kind === "array"
        ? text.split(",").map((item) => parseSegment(field.items, item))
        : parseSegment(field, text);
  }
  return input;
}

/** An ID with leading zeros is an issue: /users/01 would be another path of /users/1. */
const parseSegment = (field: Field | undefined, text: string): unknown =>
  /^0\d/.test(text) ? text : parseScalar(field, text);

/** Encodes the input of an operation as a request that `decode` reads back. */
export function encode(op: AnyOperation, input: Readonly<Record<string, unknown>>): WireOutput {
  const { rest } = planOf(op);
  return encodeRequest(op, input, (name) => isFreeText(rest.get(name)?.items));
}

/** Returns the fields of the query that are lists of free text, whose items may contain commas. */
export function textListsOf(op: AnyOperation): string[] {
  if (hasBody(op)) return [];
  return [...planOf(op).rest].flatMap(([name, { items }]) => (isFreeText(items) ? [name] : []));
}

const planOf = memoize((op: AnyOperation) => {
  const rest = new Map(fieldsOf(op).map((field) => [field.name, field]));
  const path = pathFields(op).map(({ name }) => {
    const field = rest.get(name);
    if (!field) throw new Error(`${op.name}: the path names ${name}, which the input does not have`);
    rest.delete(name);
    return { name, field };
  });
  return { path, rest };
});

type Plan = ReturnType<typeof planOf>;

function bodyFields(body: unknown, issues: FieldErrors): Record<string, unknown> {
  if (body === undefined) return {};
  if (!isRecord(body)) throw invalid({ body: ["must be an object"] });
  inspect(body, issues);
  return body;
}

const maxFields = 1000;

/** Rejects input that schemas accept or check slowly: keys that would set a prototype, and objects with many fields. */
function inspect(body: object, issues: FieldErrors): void {
  const open: { value: object; path: string }[] = [{ value: body, path: "" }];
  for (let next = open.pop(); next; next = open.pop()) {
    const keys = Object.keys(next.value);
    if (!Array.isArray(next.value) && keys.length > maxFields)
      throw new ServiceError("payload_too_large", `An object in the body must have at most ${maxFields} fields.`);
    for (const key of keys) {
      const value = (next.value as Record<string, unknown>)[key];
      if (key !== "__proto__" && (typeof value !== "object" || value === null)) continue;
      const path = next.path === "" ? key : `${next.path}.${key}`;
      if (key === "__proto__") issues[path] = [unknown];
      else open.push({ value: value as object, path });
    }
  }
}

function queryFields(query: string, plan: Plan, issues: FieldErrors): Record<string, unknown> {
  const input: Record<string, unknown> = Object.create(null);
  for (const { name: written, raw } of parsePairs(query)) {
    const literal = written.endsWith("[]");
    const bare = literal ? written.slice(0, -2) : written;
    const field = plan.rest.get(bare);
    if (field?.kind === "array") {
      input[bare] ??= [];
      (input[bare] as unknown[]).push(...parseItems(raw, field.items, literal));
    } else if (written in input) {
      issues[written] = ["is given more than once"];
    } else {
      if (plan.path.some(({ name }) => name === written)) issues[written] = [unknown];
      const text = percentDecode(raw);
      input[written] = literal ? text : parseScalar(field, text);
    }
  }
  return input;
}

/** `a[]=` is one literal item, `a=` are items separated by commas; an escaped comma in free text is text. */
function parseItems(raw: string, field: Field | undefined, literal: boolean): unknown[] {
  if (literal) return [parseScalar(field, percentDecode(raw))];
  if (raw === "") return [];
  const texts = isFreeText(field) ? raw.split(",").map(percentDecode) : percentDecode(raw).split(",");
  return texts.map((text) => parseScalar(field, text));
}

const isFreeText = (field: Field | undefined): boolean => field?.kind === "string" && !field.values;

function parseScalar(field: Field | undefined, text: string): unknown {
  switch (field?.kind) {
    case "integer": {
      const value = Number(text);
      // The issue about 1.5 then says that it is no integer.
      return /^-?\d+$/.test(text) || Math.abs(value % 1) > 0 ? value : text;
    }
    case "boolean":
      return text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : text;
    default:
      return text;
  }
}

function* parsePairs(query: string): Generator<{ name: string; raw: string }> {
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    yield at < 0
      ? { name: percentDecode(pair), raw: "" }
      : { name: percentDecode(pair.slice(0, at)), raw: pair.slice(at + 1) };
  }
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text.includes("+") ? text.replaceAll("+", " ") : text);
  } catch {
    throw new ServiceError("bad_request", "The query must be UTF-8, percent-encoded.");
  }
}
