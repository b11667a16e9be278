import { stringify } from "csv-stringify/sync";
import { pick } from "./field-selection.ts";
import type { Item } from "./item.ts";
import { columnsOf, type ItemWriter, type OutputOptions, writeText } from "./renderer.ts";
import { escapeCell } from "./spreadsheet-cells.ts";

/** Writes comma-separated API values (RFC 4180), with formulas escaped for spreadsheets. */
export function createCsvWriter({ terminal, header, columns, chosen }: OutputOptions): ItemWriter {
  let begun = false;
  const write = async (items: readonly Item[], names: readonly string[]) => {
    const rows = items.map((item) => names.map((name) => cell(pick(item, name.split(".")))));
    const text = stringify(!begun && header ? [names.map(escapeCell), ...rows] : rows);
    begun = true;
    await writeText(text, terminal);
  };
  return {
    page: (items) => write(items, columns ?? columnsOf(items)),
    // All fields, as in the other formats: the columns are those of a list.
    one: (item) => write([item], (chosen && columns) || columnsOf([item])),
  };
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return escapeCell(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return escapeCell(value.map(inList).join(";"));
  return JSON.stringify(value);
}

function inList(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value ?? "");
  const { name } = value as { name?: unknown };
  return typeof name === "string" ? name : JSON.stringify(value);
}
