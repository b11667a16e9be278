import { stringify } from "csv-stringify/sync";
import { pick } from "./field-selection.ts";
import { columnsOf, type ItemWriter, type OutputOptions, writeText } from "./renderer.ts";
import { escapeCell } from "./spreadsheet-cells.ts";

/** Writes comma-separated API values (RFC 4180), with formulas escaped for spreadsheets. */
export function createCsvWriter({ terminal, header, columns }: OutputOptions): ItemWriter {
  let begun = false;
  const writer: ItemWriter = {
    async page(items) {
      const names = columns ?? columnsOf(items);
      const rows = items.map((item) => names.map((name) => cell(pick(item, name.split(".")))));
      const text = stringify(!begun && header ? [names, ...rows] : rows);
      begun = true;
      await writeText(text, terminal);
    },
    one: (item) => writer.page([item]),
  };
  return writer;
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
