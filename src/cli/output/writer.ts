import type { Cells } from "../cells.ts";
import { pick } from "../fields.ts";
import type { Item } from "../paging.ts";
import type { Terminal } from "../terminal.ts";

/** What every writer has to know. */
export interface Sheet {
  readonly terminal: Terminal;
  /** In which times are shown; undefined for the machine's. */
  readonly zone: string | undefined;
  readonly cells: Cells;
  /** Whether rows get a line of names. */
  readonly header: boolean;
  readonly columns: readonly string[] | undefined;
  /** The columns were asked for, so that they count for a single item, too. */
  readonly chosen: boolean;
  /** Empty fields of a single item are shown, too. */
  readonly whole: boolean;
  /** The list has no end, so that nothing can wait for it. */
  readonly endless: boolean;
}

/** Writes results in one format. A list comes page by page, and then its end. */
export interface Writer {
  page(items: readonly Item[]): Promise<void>;
  end(): Promise<void>;
  one(item: Item): Promise<void>;
  /** Whatever a query has found. */
  value(value: unknown): Promise<void>;
}

/** Makes the writer for what people see. */
export type Form = (sheet: Sheet) => Writer;

/** Columns for items of which nothing is known: their first level. */
export const columnsOf = (items: readonly Item[]): string[] => [...new Set(items.flatMap((item) => Object.keys(item)))];

interface Detail {
  readonly path: string;
  readonly value: unknown;
}

/** The fields of one item as a person reads them: those that were asked for, else all that are not empty. */
export function details(item: Item, { columns, chosen, whole }: Sheet): Detail[] {
  if (chosen && columns) return columns.map((path) => ({ path, value: pick(item, path.split(".")) }));
  const all = opened(item, "");
  return whole ? all : all.filter(({ value }) => !isEmpty(value));
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

/** What a person learns nothing from. */
const technical = new Set(["content_type", "participant_type", "url"]);

/** Objects without a name of their own are opened: `stats.users`. */
function opened(item: Item, above: string): Detail[] {
  return Object.entries(item).flatMap(([name, value]) => {
    const path = above + name;
    if (technical.has(path)) return [];
    const isOpen =
      typeof value === "object" && value !== null && !Array.isArray(value) && !("name" in value && "id" in value);
    return isOpen ? opened(value as Item, `${path}.`) : [{ path, value }];
  });
}
