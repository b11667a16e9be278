import type { AnyOperation } from "../contract/operation.ts";
import { createCells } from "./cells.ts";
import { UsageError } from "./failure.ts";
import { parseFields, select } from "./fields.ts";
import type { Format, Globals } from "./globals.ts";
import type { Form, Sheet, Writer } from "./output/writer.ts";
import type { Item, Page } from "./paging.ts";
import type { Terminal } from "./terminal.ts";
import type { Draw } from "./tree.ts";

/** What is shown, as far as a command knows it. */
export interface View {
  /** Tells which fields there are. */
  readonly op?: AnyOperation;
  /** What makes a row, unless --fields says so. */
  readonly columns?: readonly string[];
  readonly draw?: () => Promise<Draw>;
  /** How people see it, in place of a table. */
  readonly form?: () => Promise<Form>;
  /** What the items are called when there are none. */
  readonly items?: string;
  /** Empty fields of a single item are shown, too. */
  readonly whole?: boolean;
  /** The list has no end: each page is shown as it comes. */
  readonly endless?: boolean;
}

/** Where results go, in the format that was asked for. */
export interface Output {
  list(pages: AsyncIterable<Page> | Iterable<Page>): Promise<void>;
  one(item: unknown, response?: unknown): Promise<void>;
}

/** `rows` is what another program gets when nothing was said: text divided by tabs. */
export function formatOf({ output, json }: Globals, terminal: Terminal): Format | "rows" {
  if (output && json && output !== "json") throw new UsageError(`--json and -o ${output} exclude each other`);
  return output ?? (json ? "json" : terminal.stdoutIsTerminal ? "table" : "rows");
}

export function createOutput(view: View, globals: Globals, terminal: Terminal): Output {
  const format = formatOf(globals, terminal);
  const fields = globals.fields === undefined ? undefined : parseFields(globals.fields, view.op);
  const zone = checkZone(globals.tz);
  const sheet: Sheet = {
    terminal,
    zone,
    cells: createCells(zone),
    header: globals.header,
    columns: fields ?? view.columns,
    chosen: fields !== undefined,
    whole: view.whole === true,
    endless: view.endless === true,
  };
  if (view.endless && globals.query !== undefined) {
    throw new UsageError("--query needs all of a list, and this one has no end", {
      hint: "-o ndjson | jq does the same",
    });
  }
  const cut = (item: Item) => (fields && !["table", "rows", "csv"].includes(format) ? select(item, fields) : item);
  const writer = async () =>
    view.form && format === "table" && !fields ? (await view.form())(sheet) : writerFor(format, sheet);
  const raw = (response: unknown) => terminal.write(`${JSON.stringify(response)}\n`);

  return {
    async list(pages) {
      if (globals.query !== undefined) return query(await collect(pages));
      if (view.draw && format === "table" && !fields) {
        return terminal.write((await view.draw())(await collect(pages), terminal));
      }
      let count = 0;
      let more = false;
      const to = globals.raw ? undefined : await writer();
      for await (const page of pages) {
        count += page.items.length;
        more = page.more;
        await (to ? to.page(page.items.map(cut)) : raw(page.response));
      }
      await to?.end();
      if (terminal.stdoutIsTerminal && !globals.raw) summarize(count, more);
    },
    async one(item, response) {
      if (globals.raw) return raw(response ?? item);
      if (globals.query !== undefined) return query(item);
      await (await writer()).one(cut(item as Item));
    },
  };

  async function query(data: unknown): Promise<void> {
    const { search } = await import("./output/query.ts");
    const found = search(fields ? selectAll(data, fields) : data, globals.query ?? "");
    if (["json", "ndjson", "yaml"].includes(format)) return (await writerFor(format, sheet)).value(found);
    const { plainly } = await import("./output/query.ts");
    const rows = plainly(found);
    if (typeof rows === "string") return terminal.write(rows);
    const writer = await writerFor(format, { ...sheet, columns: undefined });
    if (!Array.isArray(rows)) return writer.one(rows);
    await writer.page(rows);
    await writer.end();
  }

  function summarize(count: number, more: boolean): void {
    if (count === 0) terminal.note(`No ${view.items ?? "items"}.`);
    else if (more) terminal.note(terminal.paint.dim(`The first ${count}; --all or --limit N shows more.`));
  }
}

const selectAll = (data: unknown, fields: readonly string[]) =>
  Array.isArray(data) ? data.map((item) => select(item, fields)) : select(data as Item, fields);

async function collect(pages: AsyncIterable<Page> | Iterable<Page>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const page of pages) items.push(...page.items);
  return items;
}

/** The zone of --tz, if there is one of that name. */
export function checkZone(zone: string | undefined): string | undefined {
  try {
    if (zone !== undefined) new Intl.DateTimeFormat("en", { timeZone: zone });
  } catch {
    throw new UsageError(`--tz: there is no time zone '${zone}'`, { hint: "wcs timezones list shows them" });
  }
  return zone;
}

async function writerFor(format: Format | "rows", sheet: Sheet): Promise<Writer> {
  switch (format) {
    case "json":
      return (await import("./output/json.ts")).createJsonWriter(sheet);
    case "ndjson":
      return (await import("./output/json.ts")).createLineWriter(sheet);
    case "yaml":
      return (await import("./output/yaml.ts")).createYamlWriter(sheet);
    case "csv":
      return (await import("./output/csv.ts")).createCsvWriter(sheet);
    case "rows":
      return (await import("./output/rows.ts")).createRowWriter(sheet);
    case "table":
      return (await import("./output/table.ts")).createTableWriter(sheet);
  }
}
