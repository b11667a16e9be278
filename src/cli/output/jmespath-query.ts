import jmespath from "jmespath";
import type { AnyOperation } from "../../contract/operation.ts";
import { isRecord } from "../../contract/parse-json.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { checkFields, fieldsIn, fieldsOfAll, itemFields, type KnownField, parseFields } from "./field-selection.ts";

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

/**
 * Throws a `UsageError` for a field that the result of a query will not have, judged by a sample of the response. An expression
 * that fails on the sample is not refused, because its filter may select nothing there.
 */
export function checkSelection(op: AnyOperation, expression: string, fields: string): void {
  const item = sampleOf({ kind: "object", fields: itemFields(op) });
  let found: unknown;
  try {
    found = jmespath.search(op.list ? [item] : item, expression);
  } catch {
    return;
  }
  checkFound(found, parseFields(fields, undefined));
}

/** Returns a value with all fields, in which each list has an item, and a single value is null. */
function sampleOf({ kind, items, fields = [] }: Pick<KnownField, "kind" | "items" | "fields">): unknown {
  if (kind === "array") return [items ? sampleOf(items) : null];
  if (fields.length === 0) return null;
  return Object.fromEntries(fields.map((field) => [field.name, sampleOf(field)]));
}

/** Throws a `UsageError` for a field that no object in the result of a query has. */
export function checkFound(found: unknown, fields: readonly string[]): void {
  const items = [found].flat(Number.POSITIVE_INFINITY).filter(isRecord);
  if (items.length > 0) checkFields(fields, fieldsIn(fieldsOfAll(items)), "--fields");
}
