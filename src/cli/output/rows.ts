import { pick } from "../fields.ts";
import { columnsOf, details, type Sheet, type Writer } from "./writer.ts";

/** Rows divided by tabs, for cut, awk and their like; of one item a row per field. */
export function createRowWriter(sheet: Sheet): Writer {
  const { terminal, cells, header, columns } = sheet;
  let begun = false;
  const writer: Writer = {
    async page(items) {
      const names = columns ?? columnsOf(items);
      const lines = items.map((item) => names.map((name) => cells.row(pick(item, name.split(".")), name)).join("\t"));
      if (!begun && header && names.length > 0) lines.unshift(names.join("\t"));
      begun = true;
      if (lines.length > 0) await terminal.write(`${lines.join("\n")}\n`);
    },
    end: async () => {},
    async one(item) {
      await terminal.write(
        details(item, sheet)
          .map(({ path, value }) => `${path}\t${cells.row(value, path)}\n`)
          .join(""),
      );
    },
    value: (value) => writer.page([{ value }]),
  };
  return writer;
}
