import { isRecord } from "../../contract/parse-json.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { sanitizeLine } from "../terminal/sanitize.ts";
import { fieldsIn, fieldsOfAll, select } from "./field-selection.ts";
import type { Item } from "./item.ts";
import { checkFound } from "./jmespath-query.ts";
import type { ItemWriter, OutputOptions } from "./renderer.ts";
import { checkTemplate } from "./template-writer.ts";

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
  checkFound(found, fields);
  const selected = (each: unknown): unknown =>
    Array.isArray(each) ? each.map(selected) : isRecord(each) ? select(each, fields) : each;
  return selected(found);
}
