import { invalid } from "../contract/errors.ts";
import { fillPath, pathFields } from "../contract/field-spec.ts";
import type { AnyOperation } from "../contract/operation.ts";

/** `path` is relative to `/api`, `query` has no question mark, `body` is sent as JSON. */
export interface WireOutput {
  readonly path: string;
  readonly query: string;
  readonly body: Record<string, unknown> | undefined;
}

/** Returns true when the fields outside the path are sent as a JSON body, false for the query. */
export function hasBody(op: Pick<AnyOperation, "method">): boolean {
  return op.method === "POST" || op.method === "PUT" || op.method === "PATCH";
}

/** Encodes an input without the schemas. `isTextList` says which fields of the query are lists of free text. */
export function encodeRequest(
  op: Pick<AnyOperation, "method" | "path">,
  input: Readonly<Record<string, unknown>>,
  isTextList: (name: string) => boolean,
): WireOutput {
  const path = fillPath(op, (name) => encodeSegment(name, input));
  const names = new Set(pathFields(op).map(({ name }) => name));
  const rest = Object.entries(input).filter(([name, value]) => value !== undefined && !names.has(name));
  if (hasBody(op)) return { path, query: "", body: rest.length > 0 ? Object.fromEntries(rest) : undefined };
  const query = rest.flatMap(([name, value]) => encodePairs(name, value, isTextList(name))).join("&");
  return { path, query, body: undefined };
}

function encodeSegment(name: string, input: Readonly<Record<string, unknown>>): string {
  const value = input[name];
  if (value === undefined || value === null) throw invalid({ [name]: ["is required"] });
  const text = percentEncode(name, value);
  if (text === "") throw invalid({ [name]: ["must not be blank"] });
  // Proxies and clients may resolve a segment of dots.
  return text === "." || text === ".." ? text.replaceAll(".", "%2E") : text;
}

function encodePairs(name: string, value: unknown, isTextList: boolean): string[] {
  const key = percentEncode(name, name);
  if (!Array.isArray(value) || value.length === 0 || !isTextList) return [`${key}=${percentEncode(name, value)}`];
  return value.map((item) => `${key}[]=${percentEncode(name, item)}`);
}

function percentEncode(name: string, value: unknown): string {
  const text = String(value);
  if (!text.isWellFormed()) throw invalid({ [name]: ["must not contain half a surrogate pair"] });
  const escaped = encodeURIComponent(text);
  return Array.isArray(value) ? escaped.replaceAll("%2C", ",") : escaped;
}
