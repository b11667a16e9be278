import type { FieldFormat } from "../../contract/field-metadata.ts";
import { once } from "../../contract/once.ts";
import type { AnyOperation } from "../../contract/operation.ts";
import { isTimeZone } from "../../contract/time-zone.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { Globals, OutputFormat } from "../terminal/global-options.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { fieldsIn, formatsOf, itemFields, parseFields, select, uncutPaths } from "./field-selection.ts";
import { createCells } from "./format-value.ts";
import type { Item, Page } from "./item.ts";
import { type Draw, type ItemWriter, type OutputOptions, type Renderer, type RowSpec, writeText } from "./renderer.ts";
import { checkTemplate, createTemplateWriter } from "./template-writer.ts";

/** Where the names of fields come from: others are refused before anything is read or changed. */
type Fields<T extends object> =
  /** The operation whose response holds the items: its output names the fields and their formats. */
  | { readonly op: AnyOperation; readonly sample?: undefined }
  /** An item with all fields, for items that are not those of an operation. The parts of null are not known. */
  | { readonly op?: undefined; readonly sample: Readonly<Record<keyof T, unknown>> };

type View<T extends object> = Fields<T> & Presentation<T>;

interface Presentation<T extends object> {
  /** Formats of fields, in items that are not those of an operation. */
  readonly formats?: Readonly<Record<string, FieldFormat>>;
  /** Columns of a row, unless --fields names others. */
  readonly columns?: readonly string[];
  /** Columns that are not cut, besides times, numbers, IDs and states. */
  readonly uncut?: readonly string[];
  /** Derives the columns of rows and CSV, unless --fields names others. */
  readonly rows?: RowSpec<T>;
  readonly draw?: () => Promise<Draw<T>>;
  readonly renderer?: () => Promise<Renderer<T>>;
  /** Plural name of the items, for the message that there are none. */
  readonly items?: string;
  /** Shows the empty fields of a single item, too. */
  readonly showEmpty?: boolean;
  /** The list never ends, so each page is printed immediately. */
  readonly endless?: boolean;
}

export interface Output<T extends object = Item> {
  list(pages: AsyncIterable<Page<T>> | Iterable<Page<T>>): Promise<void>;
  all(items: readonly T[]): Promise<void>;
  one(item: T, response?: unknown): Promise<void>;
}

/** The global options and the terminal of a command, and its flags where a list may begin elsewhere than with the first item. */
export interface OutputEnvironment {
  readonly globals: Globals;
  readonly terminal: Terminal;
  readonly flags?: Readonly<Record<string, unknown>>;
}

/** A format that --output names, tab-separated rows, or lines by --template. */
type Format = OutputFormat | "rows" | "template";

/** Returns the output format. The default is a table on a terminal, and `rows` elsewhere. */
export function formatOf({ globals, terminal }: OutputEnvironment): Format {
  const { output, json, template, fields, query, raw } = globals;
  const refuse = (flag: string, others: readonly (string | false | undefined)[]) => {
    const other = others.find(Boolean);
    if (other) throw new UsageError(`${flag} and ${other} cannot be used together`);
  };
  const format = output && `-o ${output}`;
  const otherThanJson = output !== "json" && format;
  const selection = fields !== undefined && "--fields";
  if (json) refuse("--json", [otherThanJson]);
  if (template !== undefined) refuse("--template", [format, json && "--json", selection, raw && "--raw"]);
  if (raw) refuse("--raw", [otherThanJson, selection, query !== undefined && "--query"]);
  if (template !== undefined) return "template";
  return output ?? (json ? "json" : terminal.stdoutIsTerminal ? "table" : "rows");
}

/** Returns the environment with JSON as its format, unless a flag names another one. */
export const jsonUnlessAsked = (environment: OutputEnvironment): OutputEnvironment =>
  environment.globals.output || environment.globals.template !== undefined
    ? environment
    : { ...environment, globals: { ...environment.globals, json: true } };

export function createOutput<T extends object = Item>(view: View<T>, environment: OutputEnvironment): Output<T> {
  const { globals, terminal } = environment;
  const format = formatOf(environment);
  const { fields, rows } = selectedFields(view, format, globals);
  const zone = checkZone(globals.tz);
  const isChange = view.op !== undefined && view.op.method !== "GET" && environment.flags?.dryRun !== true;
  const options: OutputOptions = {
    terminal,
    zone,
    cells: createCells(zone, formatsIn(view)),
    header: globals.header,
    columns: fields ?? (rows ? rows.columns : view.columns),
    isUncut: uncutIn(view),
    chosen: fields !== undefined,
    showEmpty: view.showEmpty === true,
    endless: view.endless === true,
    template: globals.template,
  };
  if (globals.template !== undefined)
    checkTemplate(globals.template, globals.query === undefined ? knownFields(view) : undefined);
  refuseItemsName(globals.query, view.op);
  if (view.endless && globals.query !== undefined) {
    throw new UsageError("--query cannot be used on an endless list", { hint: "use -o ndjson and jq" });
  }
  /** Returns the item with the chosen fields only, for formats without columns. */
  const withChosenFields = (item: object): Item =>
    fields && !["table", "rows", "csv"].includes(format) ? select(item as Item, fields) : (item as Item);
  const writer = async (): Promise<ItemWriter<T>> => {
    if (view.renderer && format === "table" && !fields) return (await view.renderer())(options);
    const standard = await writerFor(format, options);
    const derive = await rows?.load();
    return {
      async page(items) {
        await standard.page(items.map((item) => withChosenFields(derive ? derive(item) : item)));
      },
      end: async () => standard.end?.(),
      // CSV of a single item has all fields of the response.
      one: (item) => {
        if (derive && !fields && format === "rows") return standard.one(derive(item));
        return standard.one(withChosenFields(derive && fields ? { ...item, ...derive(item) } : item));
      },
    };
  };
  const raw = (response: unknown) => writeText(`${JSON.stringify(response)}\n`, terminal);
  const query = async (data: unknown) => {
    const found = (await import("./jmespath-query.ts")).queryValue(data, globals.query ?? "") ?? null;
    const writer = await writerFor(format, { ...options, columns: undefined });
    await (await import("./print-found.ts")).printFound(found, { fields, format, options, writer });
    if (found === null && terminal.stdoutIsTerminal)
      terminal.note("The JMESPath expression of --query selects nothing.");
  };

  const output: Output<T> = {
    async list(pages) {
      const seen = { count: 0, more: false };
      const counted = countItems(pages, seen);
      if (globals.query !== undefined) await query(await collect(counted));
      else if (globals.raw) for await (const { response } of counted) await raw(response);
      else if (view.draw && format === "table" && !fields) {
        const { pageOrWrite } = await import("./page-or-write.ts");
        await pageOrWrite((await view.draw())(await collect(counted), terminal, zone), terminal);
      } else {
        const to = await writer();
        for await (const { items } of counted) await to.page(items);
        await to.end?.();
        if (seen.count === 0 && terminal.stdoutIsTerminal) terminal.note(`No ${view.items ?? "items"}.`);
      }
      if (seen.more) noteCut(seen.count, view.op, environment);
    },
    all: (items) => output.list([{ items, more: false, response: items }]),
    async one(item, response) {
      if (globals.raw) return raw(response ?? item);
      if (globals.query === undefined) return (await writer()).one(item);
      try {
        await query(item);
      } catch (error) {
        // The item may hold a secret that is shown only once, and --fields may be what is wrong.
        const standard = await writerFor(format === "template" ? "json" : format, { ...options, chosen: false });
        await standard.one(item as Item);
        if (!isChange || !(error instanceof UsageError)) throw error;
        throw new UsageError(`the change was made, but ${error.message}`, error);
      }
    },
  };
  return output;
}

const knownFields = <T extends object>({ op, sample }: Fields<T>) => (op ? itemFields(op) : fieldsIn(sample));

/** Returns the fields of --fields, and the row spec where columns of it are shown. */
function selectedFields<T extends object>(view: View<T>, format: Format, globals: Globals) {
  const { rows } = view;
  // A query reads the response, and its result may have other fields.
  const isQuery = globals.query !== undefined;
  const derived = isQuery ? [] : (rows?.columns ?? []);
  const known = isQuery ? undefined : knownFields(view);
  const fields = globals.fields === undefined ? undefined : parseFields(globals.fields, known, derived);
  const hasDerived = fields ? fields.some((name) => derived.includes(name)) : format === "rows" || format === "csv";
  return { fields, rows: hasDerived ? rows : undefined };
}

/** Reports that a list has more items than the `count` that were shown, and the flags that show more. */
function noteCut(count: number, op: AnyOperation | undefined, { terminal, flags = {} }: OutputEnvironment): void {
  const { page, cursor, limit } = flags;
  const first = count === 1 ? "only the first one" : `the first ${count}`;
  const isLimited = limit !== undefined || (op?.list && !op.list.paging);
  const way = isLimited ? "a higher --limit" : "--all or --limit N";
  terminal.note(`Showing ${(page ?? cursor) ? count : first}. Use ${way} for more.`);
}

/** Throws a `UsageError` for a query that begins with the name that the items have in the body of a response. */
function refuseItemsName(query = "", op: AnyOperation | undefined): void {
  const [first] = /^\w+/.exec(query.trim()) ?? [];
  if (op?.list === undefined || first !== op.list.items) return;
  throw new UsageError(`--query: the list is an array here, not in '${first}'`, {
    hint: "begin with [], as in '[].id'",
  });
}

type Formatted = Pick<View<Item>, "op" | "formats"> & { readonly rows?: Pick<RowSpec, "formats"> };

function formatsIn({ op, formats, rows }: Formatted): (path: string) => FieldFormat | undefined {
  const known = once(
    () => new Map([...Object.entries({ ...formats, ...rows?.formats }), ...(op ? formatsOf(itemFields(op)) : [])]),
  );
  return (path) => known().get(path);
}

/** Returns a function that tells by its path whether a field must not be cut: times, numbers, IDs, states and `uncut`. */
function uncutIn({
  op,
  formats = {},
  uncut = [],
}: Pick<View<Item>, "op" | "formats" | "uncut">): (path: string) => boolean {
  const paths = once(
    () => new Set(["id", ...uncut, ...Object.keys(formats), ...(op ? uncutPaths(itemFields(op)) : [])]),
  );
  return (path) => paths().has(path);
}

async function* countItems<T extends object>(
  pages: AsyncIterable<Page<T>> | Iterable<Page<T>>,
  seen: { count: number; more: boolean },
): AsyncGenerator<Page<T>> {
  for await (const page of pages) {
    seen.count += page.items.length;
    seen.more = page.more;
    yield page;
  }
}

async function collect<T extends object>(pages: AsyncIterable<Page<T>> | Iterable<Page<T>>): Promise<T[]> {
  return (await Array.fromAsync(pages, ({ items }) => items)).flat();
}

export function checkZone(zone: string | undefined): string | undefined {
  if (zone === undefined || isTimeZone(zone)) return zone;
  throw new UsageError(`--tz: unknown time zone '${zone}'`, { hint: "list time zones with wcs timezones list" });
}

async function writerFor(format: Format, options: OutputOptions): Promise<ItemWriter> {
  switch (format) {
    case "json":
      return (await import("./json-writer.ts")).createJsonWriter(options);
    case "ndjson":
      return (await import("./json-writer.ts")).createLineWriter(options);
    case "yaml":
      return (await import("./yaml-writer.ts")).createYamlWriter(options);
    case "csv":
      return (await import("./csv-writer.ts")).createCsvWriter(options);
    case "rows":
      return (await import("./row-writer.ts")).createRowWriter(options);
    case "template":
      return createTemplateWriter(options);
    case "table":
      return (await import("./table-writer.ts")).createTableWriter(options);
  }
}
