import Table from "cli-table3";
import { hasPager } from "../terminal/pager.ts";
import { columnWidths, cut } from "../terminal/text-width.ts";
import { pick } from "./field-selection.ts";
import type { Item } from "./item.ts";
import { columnsOf, details, type OutputOptions, type Writer } from "./renderer.ts";

const bare = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

/** Writes tables without borders, at most as wide as the terminal. */
export function createTableWriter(options: OutputOptions): Writer {
  const { terminal, cells, header, columns, endless } = options;
  const items: Item[] = [];
  /** Column widths of the pages printed so far. */
  let widths: readonly number[] | undefined;
  const writer: Writer = {
    async page(more) {
      if (!endless) items.push(...more);
      else if (more.length > 0) await terminal.write(tableOf(more));
    },
    async end() {
      if (items.length > 0) await show(tableOf(items));
    },
    async one(item) {
      const fields = details(item, options);
      const wide = Math.max(...fields.map(({ path }) => path.length));
      const lines = fields.map(
        ({ path, value }) => `${terminal.paint.dim(path.padEnd(wide))}  ${cells.human(value, path)}\n`,
      );
      await terminal.write(lines.join(""));
    },
    value: (value) => writer.page([{ value }]),
  };
  return writer;

  function tableOf(some: readonly Item[]): string {
    const names = columns ?? columnsOf(some);
    const rows = some.map((item) => names.map((name) => cells.human(pick(item, name.split(".")), name)));
    return draw(rows, header && widths === undefined ? names.map(titleOf) : undefined);
  }

  function draw(rows: string[][], head: string[] | undefined): string {
    const width = terminal.stdoutIsTerminal ? terminal.width : Number.POSITIVE_INFINITY;
    const shown = widths ? [widths.map((wide) => " ".repeat(wide))] : head ? [head] : [];
    const colWidths = columnWidths([...shown, ...rows], width, 2);
    widths = colWidths;
    const drawn = (rows: readonly (readonly string[])[]) => {
      const table = new Table({
        chars: bare,
        colWidths,
        style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
      });
      table.push(...rows.map((row) => [...row]));
      return `${table.toString().replace(/[ \t]+$/gm, "")}\n`;
    };
    // columnWidths returns a width for each column.
    const short = (row: readonly string[]) => row.map((text, at) => cut(text, colWidths[at]!));
    const title = head ? drawn([short(head).map(terminal.paint.strong)]) : "";
    return (
      title +
      parts(rows, 100)
        .map((part) => drawn(part.map(short)))
        .join("")
    );
  }

  async function show(text: string): Promise<void> {
    const isLong = text.split("\n").length > terminal.height;
    if (terminal.stdoutIsTerminal && isLong && hasPager(terminal.env)) await terminal.page(text);
    else await terminal.write(text);
  }
}

/** Returns the column title: UNIT for `unit.name`, USERS for `stats.users`, UNIT ID for `unit.id`. */
function titleOf(path: string): string {
  const parts = path.split(".");
  const said =
    parts.at(-1) === "name" && parts.length > 1 ? parts.slice(0, -1) : parts.at(-1) === "id" ? parts : parts.slice(-1);
  return said
    .join(" ")
    .replaceAll("_", " ")
    .replace(/[a-z](?=[A-Z])/g, "$& ")
    .toUpperCase();
}

/** Splits rows, since cli-table3 takes quadratic time. */
function parts<T>(rows: readonly T[], size: number): (readonly T[])[] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => rows.slice(at * size, (at + 1) * size));
}
