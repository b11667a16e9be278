import jmespath from "jmespath";
import { isRecord } from "../../contract/parse-json.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { sanitizeLine } from "../terminal/sanitize.ts";
import { checkFields, fieldsIn, fieldsOfAll, select } from "./field-selection.ts";
import type { Item } from "./item.ts";
import type { ItemWriter, OutputOptions } from "./renderer.ts";
import { checkTemplate } from "./template-writer.ts";

const tutorial = "see https://jmespath.org/tutorial.html";

declare module "jmespath" {
  interface QueryNode {
    readonly type: string;
    readonly name?: string;
    readonly value?: unknown;
    readonly children?: readonly QueryNode[];
  }
  // The declarations of the package lack it.
  function compile(expression: string): QueryNode;
}

/** Functions of the JMESPath specification. */
const functions = new Set(
  `abs avg ceil contains ends_with floor join keys length map max max_by merge min min_by not_null reverse sort sort_by
   starts_with sum to_array to_number to_string type values`.split(/\s+/),
);

/** Throws a `UsageError` when an expression is malformed, so that nothing is changed before that is noticed. */
export function checkQuery(expression: string): void {
  let query: jmespath.QueryNode;
  try {
    query = jmespath.compile(expression);
  } catch (error) {
    throw new UsageError(`--query: ${(error as Error).message}`, { hint: tutorial });
  }
  for (const name of calledFunctions(query)) {
    if (functions.has(name)) continue;
    const hint = `functions: ${[...functions].join(", ")}`;
    throw new UsageError(`--query: there is no function ${name}()`, { hint });
  }
}

function calledFunctions({ type, name, value, children = [] }: jmespath.QueryNode): string[] {
  const inner = type === "KeyValuePair" ? [value as jmespath.QueryNode] : children;
  return [
    ...(type === "Function" && name !== undefined ? [name] : []),
    ...inner.filter(isRecord).flatMap(calledFunctions),
  ];
}

/** Does not use the newer @jmespath-community/jmespath, because the bundle would have to meet the conditions of the MPL-2.0. */
export function queryValue(data: unknown, expression: string): unknown {
  try {
    return jmespath.search(data, expression);
  } catch (error) {
    throw new UsageError(`--query: ${(error as Error).message}`, { hint: tutorial });
  }
}

interface FoundOutput {
  readonly fields: readonly string[] | undefined;
  readonly format: string;
  readonly options: OutputOptions;
  readonly writer: ItemWriter;
}

/** Prints the result of a query: any value as JSON and YAML, and objects, or lines of text, in other formats. */
export async function printFound(whole: unknown, { fields, format, options, writer }: FoundOutput): Promise<void> {
  const found = fields ? selectFields(whole, fields) : whole;
  const isWhole = format === "json" || format === "yaml" || (format === "ndjson" && !Array.isArray(found));
  if (isWhole) return writer.one(found as Item);
  const rows = format === "ndjson" ? (found as Item[]) : queryRows(found);
  if (typeof rows === "string" && format === "template")
    throw new UsageError("--template needs objects, and the result of --query is something else");
  if (typeof rows === "string") return options.terminal.write(rows);
  const shown = [rows].flat();
  if (options.template !== undefined && shown.length > 0) checkTemplate(options.template, fieldsIn(fieldsOfAll(shown)));
  if (!Array.isArray(rows)) return writer.one(rows);
  await writer.page(rows);
  await writer.end?.();
}

/** Returns the object or objects of a query result for formats with rows; other values as lines of text. */
function queryRows(found: unknown): Item[] | Item | string {
  if (isRecord(found)) return found;
  const list = Array.isArray(found) ? found : [found];
  if (list.length > 0 && list.every(isRecord)) return list;
  if (list.length > 0 && list.every(Array.isArray))
    return list.map((row) => Object.fromEntries(row.map((value, at) => [String(at + 1), value])));
  return list.map((value) => `${text(value)}\n`).join("");
}

function text(value: unknown): string {
  if (value === null || value === undefined) return "";
  return sanitizeLine(typeof value === "string" ? value : JSON.stringify(value));
}

/** Selects fields of the result of a query. Throws a `UsageError` for one that the result does not have. */
function selectFields(found: unknown, fields: readonly string[]): unknown {
  const items = [found].flat(Number.POSITIVE_INFINITY).filter(isRecord);
  if (items.length > 0) checkFields(fields, fieldsIn(fieldsOfAll(items)), "--fields");
  const selected = (each: unknown): unknown =>
    Array.isArray(each) ? each.map(selected) : isRecord(each) ? select(each, fields) : each;
  return selected(found);
}
