import type { FieldFormat } from "../../contract/field-metadata.ts";
import { isRecord } from "../../contract/parse-json.ts";
import { sanitizeText } from "../terminal/sanitize.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { pick } from "./field-selection.ts";
import type { Cells } from "./format-value.ts";
import type { Item } from "./item.ts";

export interface OutputOptions {
  readonly terminal: Terminal;
  /** Time zone; undefined for the machine's. */
  readonly zone: string | undefined;
  readonly cells: Cells;
  readonly header: boolean;
  readonly columns: readonly string[] | undefined;
  /** Tells by its path whether a field is shown whole or not at all. */
  readonly isUncut: (path: string) => boolean;
  /** The columns come from --fields, so they apply to single items as well. */
  readonly chosen: boolean;
  readonly showEmpty: boolean;
  readonly endless: boolean;
  readonly template: string | undefined;
}

/** Shows items. For a list, `page` is called for each page, then `end`. */
export interface ItemWriter<T = Item> {
  page(items: readonly T[]): Promise<void>;
  end?(): Promise<void>;
  one(item: T): Promise<void>;
}

export type Draw<T = Item> = (items: readonly T[], terminal: Terminal, zone: string | undefined) => string;

/** Columns for other programs that are derived from the fields of an item. */
export interface RowSpec<T = Item> {
  readonly columns: readonly string[];
  readonly formats?: Readonly<Record<string, FieldFormat>>;
  /** Returns the function that makes the rows of the items that an operation returned for this input. */
  load(input?: Readonly<Record<string, unknown>>): Promise<(item: T) => Item>;
}

export type Renderer<T = Item> = (options: OutputOptions) => ItemWriter<T>;

/** Writes data in a text format, which may hold control characters, to stdout. */
export const writeText = (text: string, terminal: Terminal): Promise<void> =>
  terminal.write(terminal.stdoutIsTerminal ? sanitizeText(text) : text);

export const columnsOf = (items: readonly Item[]): string[] => [...new Set(items.flatMap((item) => Object.keys(item)))];

interface Detail {
  readonly path: string;
  readonly value: unknown;
}

/** Returns the fields to show for a single item: those of --fields, else all that are not empty. */
export function details(item: Item, { columns, chosen, showEmpty }: OutputOptions): Detail[] {
  if (chosen && columns) return columns.map((path) => ({ path, value: pick(item, path.split(".")) }));
  const all = flattened(item, "");
  return showEmpty ? all : all.filter(({ value }) => !isEmpty(value));
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

const technical = new Set(["content_type", "participant_type", "url"]);

/** Flattens nested objects, as in `stats.users`, except those with `id` and `name`. */
function flattened(item: Item, above: string): Detail[] {
  return Object.entries(item).flatMap(([name, value]) => {
    const path = above + name;
    if (technical.has(path)) return [];
    const isOpen = isRecord(value) && !("name" in value && "id" in value);
    return isOpen ? flattened(value, `${path}.`) : [{ path, value }];
  });
}
