import { sanitizeLine } from "../terminal/sanitize.ts";
import { pick } from "./field-selection.ts";
import { columnsOf, details, type ItemWriter, type OutputOptions } from "./renderer.ts";

/** Writes tab-separated rows for tools like cut and awk. A single item has a row per field. */
export function createRowWriter(options: OutputOptions): ItemWriter {
  const { terminal, cells, header, columns } = options;
  let begun = false;
  return {
    async page(items) {
      const names = columns ?? columnsOf(items);
      const lines = items.map((item) => names.map((name) => cells.row(pick(item, name.split(".")), name)).join("\t"));
      if (!begun && header && names.length > 0) lines.unshift(names.map(sanitizeLine).join("\t"));
      begun = true;
      if (lines.length > 0) await terminal.write(`${lines.join("\n")}\n`);
    },
    async one(item) {
      await terminal.write(
        details(item, options)
          .map(({ path, value }) => `${header ? `${sanitizeLine(path)}\t` : ""}${cells.row(value, path)}\n`)
          .join(""),
      );
    },
  };
}
