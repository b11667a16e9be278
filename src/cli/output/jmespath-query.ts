import jmespath from "jmespath";
import { isRecord } from "../../contract/parse-input.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { sanitizeLine } from "../terminal/sanitize.ts";
import type { Item } from "./item.ts";

const tutorial = "see https://jmespath.org/tutorial.html";

/** Throws a `UsageError` when an expression is malformed, so that nothing is changed before that is noticed. */
export function checkQuery(expression: string): void {
  try {
    jmespath.search(null, expression);
  } catch (error) {
    // Errors of the evaluation, which depend on the data, are of the class itself.
    if ((error as Error).name === "Error") return;
    throw new UsageError(`--query: ${(error as Error).message}`, { hint: tutorial });
  }
}

/** The newer @jmespath-community/jmespath is under MPL-2.0, whose conditions the bundle would have to meet. */
export function queryValue(data: unknown, expression: string): unknown {
  try {
    return jmespath.search(data, expression);
  } catch (error) {
    throw new UsageError(`--query: ${(error as Error).message}`, { hint: tutorial });
  }
}

/** Prepares a query result for formats with rows: objects become rows, other values lines of text. */
export function plainly(found: unknown): Item[] | Item | string {
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
