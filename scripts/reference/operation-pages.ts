import { describeReference, type Field, fieldsOf } from "../../src/contract/field-spec.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { type GroupName, groupEntries } from "../../src/contract/operation-groups.ts";
import { documentedPath, recordedExamples } from "../../src/http/openapi.ts";
import { accessPhrase } from "../operations-table.ts";
import { fence, firstLines, page, prose } from "./markdown.ts";
import type { Exchange } from "./record-requests.ts";

const maxLines = 60;

/** Returns a page for each group of operations, by file name. */
export function operationPages(
  operations: readonly AnyOperation[],
  exchanges: readonly Exchange[],
): Map<string, string> {
  const recorded = firstExchanges(operations, exchanges);
  const groups = Map.groupBy(operations, ({ name }) => name.slice(0, name.indexOf(".")) as GroupName);
  return new Map(
    groupEntries.flatMap(([group, { summary }]) => {
      const own = groups.get(group);
      if (own === undefined) return [];
      const about = `${prose(summary)}.`;
      return [[`${group}.md`, page(`Operations: ${group}`, about, ...own.map((op) => describe(op, recorded.get(op))))]];
    }),
  );
}

/** Returns the list of all pages. */
export function operationList(): string {
  return groupEntries.map(([group, { summary }]) => `- [\`${group}\`](operations/${group}.md): ${summary}`).join("\n");
}

/** Returns the first successful exchange of each operation. */
function firstExchanges(operations: readonly AnyOperation[], exchanges: readonly Exchange[]) {
  const found = new Map<AnyOperation, Exchange>();
  // A path without placeholders is more exact than one with them.
  const byExactness = operations.toSorted((a, b) => a.path.split("{").length - b.path.split("{").length);
  for (const exchange of exchanges) {
    const path = new URL(exchange.path, "http://localhost").pathname.replace(/^\/api\//, "/");
    const op = byExactness.find(
      (each) =>
        each.method === exchange.method && new RegExp(`^${each.path.replace(/\{[^}]+\}/g, "[^/]+")}$`).test(path),
    );
    if (op !== undefined && exchange.status < 300 && !found.has(op)) found.set(op, exchange);
  }
  return found;
}

function describe(op: AnyOperation, exchange: Exchange | undefined): string {
  return [
    `## ${op.name}`,
    `${prose(op.summary)}. Access: ${accessPhrase(op.access)}.`,
    op.description === undefined ? "" : prose(op.description),
    fence("http", `${op.method} ${documentedPath(op)}`),
    fieldsOf(op).map(describeInput).join("\n"),
    exchange === undefined ? exampleOfApi(op) : recordedExample(op, exchange),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function describeInput(field: Field): string {
  const description = prose(field.description ?? describeReference(field) ?? "");
  const values = field.values === undefined ? "" : `: ${field.values.map((value) => `\`${value}\``).join(", ")}`;
  const facts = [field.kind, field.required ? "required" : ""].filter(Boolean).join(", ");
  return `- \`${field.name}\` (${facts}${values})${description && `: ${description}`}`;
}

function recordedExample(op: AnyOperation, { method, path, request, status, response }: Exchange): string {
  const line = `${method} ${path}`;
  const sent = request === "" ? line : `${line}\nContent-Type: application/json\n\n${json(request)}`;
  const body = op.bytes ? "(the bytes)" : response === "" ? "" : json(response);
  return `Example:\n\n${fence("http", sent)}\n\n${fence("http", firstLines(`HTTP/1.1 ${status}${body && `\n\n${body}`}`, maxLines))}`;
}

/** Shows the recorded answer of an operation that no command of the session calls. */
function exampleOfApi(op: AnyOperation): string {
  const { response } = recordedExamples[op.name] ?? {};
  const body = op.bytes ? "(the bytes)" : response === undefined ? "" : JSON.stringify(shorten(response), null, 2);
  return `Response:\n\n${fence("http", firstLines(`HTTP/1.1 ${op.status}${body && `\n\n${body}`}`, maxLines))}`;
}

const json = (text: string) => JSON.stringify(shorten(JSON.parse(text)), null, 2);

/** Returns a value with lists cut to two items and long texts cut. */
function shorten(value: unknown): unknown {
  if (typeof value === "string") return value.length > 200 ? `${value.slice(0, 60)}…` : value;
  if (Array.isArray(value)) return value.slice(0, 2).map(shorten);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shorten(each)]));
}
