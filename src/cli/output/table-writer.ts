import Table from "cli-table3";
import { sanitizeLine } from "../terminal/sanitize.ts";
import { columnsThatFit, columnWidths, cut } from "../terminal/text-width.ts";
import { pick } from "./field-selection.ts";
import type { Item } from "./item.ts";
import { pageOrWrite } from "./page-or-write.ts";
import { columnsOf, details, type ItemWriter, type OutputOptions } from "./renderer.ts";

const sides =
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid";
const bare = { ...Object.fromEntries(sides.split(" ").map((side) => [side, ""])), middle: "  " };

/** Writes tables without borders, at most as wide as the terminal. */
export function createTableWriter(options: OutputOptions): ItemWriter {
  const { terminal, cells, header, columns, endless, chosen } = options;
  const width = () => (terminal.stdoutIsTerminal ? terminal.width : Number.POSITIVE_INFINITY);
  const items: Item[] = [];
  /** Column widths of the pages printed so far. */
  let widths: readonly number[] | undefined;
  return {
    async page(more) {
      if (!endless) items.push(...more);
      else if (more.length > 0) await terminal.write(await tableOf(more));
    },
    async end() {
      if (items.length > 0) await pageOrWrite(await tableOf(items), terminal);
    },
    async one(item) {
      const fields = details(item, options).map((field) => ({ ...field, title: sanitizeLine(field.path) }));
      const wide = Math.max(...fields.map(({ title }) => title.length));
      const shown = (title: string) => (header ? `${terminal.paint.dim(title.padEnd(wide))}  ` : "");
      const lines = fields.map(({ path, title, value }) => `${shown(title)}${cells.human(value, path)}\n`);
      await terminal.write(lines.join(""));
    },
  };

  async function tableOf(some: readonly Item[]): Promise<string> {
    const names = columns ?? columnsOf(some);
    if (names.length === 0) return "\n".repeat(some.length);
    const rows = some.map((item) => names.map((name) => cells.human(pick(item, name.split(".")), name)));
    const kept = chosen || endless ? names.map((_, at) => at) : columnsToShow(names, rows);
    const only = <T>(row: readonly T[]) => kept.map((at) => row[at] as T);
    const head = header && widths === undefined ? only(names).map(titleOf) : undefined;
    return draw(rows.map(only), head, uncutAmong(only(names)));
  }

  /** Returns the indexes of the columns that are not cut. */
  function uncutAmong(names: readonly string[]): ReadonlySet<number> {
    return new Set(names.flatMap((name, at) => (options.isUncut(name) ? [at] : [])));
  }

  /** Returns the columns that have a value in some row, and of these the first that fit. */
  function columnsToShow(names: readonly string[], rows: readonly string[][]): number[] {
    const filled = names.flatMap((_, at) => (rows.some((row) => row[at] !== "") ? [at] : []));
    if (filled.length === 0) return [0];
    const all = [...(header ? [names.map(titleOf)] : []), ...rows].map((row) => filled.map((at) => row[at] ?? ""));
    const uncut = uncutAmong(filled.map((at) => names[at] ?? ""));
    const fitting = filled.slice(0, columnsThatFit(all, width(), uncut));
    const hidden = filled.slice(fitting.length).map((at) => names[at]);
    if (hidden.length > 0) terminal.note(`Not shown at this width: ${hidden.join(", ")}.`);
    return fitting;
  }

  async function draw(rows: string[][], head: string[] | undefined, uncut: ReadonlySet<number>): Promise<string> {
    const shown = widths ? [widths.map((wide) => " ".repeat(wide))] : head ? [head] : [];
    const colWidths = columnWidths([...shown, ...rows], width(), uncut);
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
    const short = (row: readonly string[]) => row.map((text, at) => cut(text, colWidths[at] ?? 1));
    let text = head ? drawn([short(head).map(terminal.paint.strong)]) : "";
    for (const part of parts(rows, 100)) {
      // A long table takes seconds, during which Ctrl-C would not be handled.
      if (text !== "" && rows.length > 100) await new Promise(setImmediate);
      text += drawn(part.map(short));
    }
    return text;
  }
}

/** Returns the column title: UNIT for `unit.name`, USERS for `stats.users`, UNIT ID for `unit.id`. */
function titleOf(path: string): string {
  const parts = path.split(".");
  const said =
    parts.at(-1) === "name" && parts.length > 1 ? parts.slice(0, -1) : parts.at(-1) === "id" ? parts : parts.slice(-1);
  return sanitizeLine(said.join(" "))
    .replaceAll("_", " ")
    .replace(/[a-z](?=[A-Z])/g, "$& ")
    .toUpperCase();
}

/** Splits rows, since cli-table3 takes quadratic time. */
function parts<T>(rows: readonly T[], size: number): (readonly T[])[] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => rows.slice(at * size, (at + 1) * size));
}
