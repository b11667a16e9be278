import { type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import { type FieldIssues, invalid } from "../../contract/errors.ts";
import type { Ctx } from "./context.ts";

/** The start of a page: `after` the item with that key or, when paging backwards, `before` it. */
export interface Position<K> {
  readonly direction: "after" | "before";
  readonly key: K;
}

/** Length of a shortened hash in base64url. It encodes 9 bytes exactly, so that more base64url can follow. */
const hashLength = 12;

/** Returns an opaque cursor. It names the list with its filters, so it cannot be used with another list. */
export function encodeCursor<K>(ctx: Ctx, list: string, { direction, key }: Position<K>): string {
  const body = JSON.stringify([direction === "after" ? 1 : 0, key, hashOf(list)]);
  return seal(ctx, body) + Buffer.from(body).toString("base64url");
}

/** Returns the position of a cursor. Throws `validation_failed` for one that is forged or of another list. */
export function decodeCursor<K>(ctx: Ctx, list: string, cursor: string | undefined): Position<K> | undefined {
  if (cursor === undefined) return undefined;
  const body = bodyOf(ctx, cursor);
  if (body === undefined || body[2] !== hashOf(list)) throw invalid(foreign);
  const [forward, key] = body as [number, K, string];
  return { direction: forward === 1 ? "after" : "before", key };
}

/** Returns an issue for a forged cursor, without regard to the list. */
export function cursorIssues(ctx: Ctx, cursor: unknown): FieldIssues {
  return typeof cursor === "string" && bodyOf(ctx, cursor) === undefined ? foreign : {};
}

const foreign = { cursor: ["is not a cursor of this list; start again without a cursor"] };

/** Returns the sealed content of a cursor; undefined for a forged one. */
function bodyOf(ctx: Ctx, cursor: string): unknown[] | undefined {
  const body = Buffer.from(cursor.slice(hashLength), "base64url").toString();
  if (body === "" || seal(ctx, body) !== cursor.slice(0, hashLength)) return undefined;
  return JSON.parse(body) as unknown[];
}

const seal = ({ instance }: Ctx, body: string): string =>
  hashOf(Buffer.concat([instance.tokenKey, Buffer.from(`cursor\0${body}`)]));

/** Returns the hash as text, which Node gives back in a quarter of the time of bytes. */
function hashOf(data: string | Uint8Array): string {
  // node:crypto is loaded on demand: loading it takes longer than most commands that need no cursor.
  return process.getBuiltinModule("node:crypto").hash("sha256", data, "base64url").slice(0, hashLength);
}

/** The list that is asked for, by its name and filters, and its page. */
export interface AskedPage {
  readonly list: string;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export const isUnfiltered = (filters: object): boolean => Object.values(filters).every((value) => value === undefined);

/** Reads a page forwards by a function for the first `max` items with a greater ID; undefined for a page backwards. */
export async function readPageAfter<R extends { readonly id: number }>(
  ctx: Ctx,
  { list, limit, cursor }: AskedPage,
  read: (ctx: Ctx, id: number, max: number) => Promise<R[]>,
) {
  const position = decodeCursor<[number]>(ctx, list, cursor);
  if (position?.direction === "before") return undefined;
  const found = await read(ctx, position?.key[0] ?? 0, limit + 1);
  const { rows: data, meta } = makeCursorPage(ctx, list, found, { limit, position, keyOf: ({ id }) => [id] });
  return { data, meta };
}

/** The order of a list: by columns of the result that tell its rows apart. `alias` is that of their table in the query. */
interface Order<K> {
  readonly by: readonly K[];
  readonly alias?: string;
  readonly descending?: boolean;
  /** Minimum and maximum of the first column, both included. */
  readonly range?: Readonly<Record<"min" | "max", string | number | undefined>>;
}

export async function readPage<
  DB,
  TB extends keyof DB,
  K extends string,
  O extends Readonly<Record<K, string | number>>,
>(
  ctx: Ctx,
  query: SelectQueryBuilder<DB, TB, O>,
  { by, alias, descending = false, range }: Order<K>,
  { list, limit, cursor }: AskedPage,
) {
  const position = decodeCursor<readonly (string | number)[]>(ctx, list, cursor);
  const isAscending = (position?.direction === "before") === descending;
  const columns = by.map((column) => sql.ref(alias === undefined ? column : `${alias}.${column}`));
  let page = query.limit(limit + 1);
  for (const column of columns) page = page.orderBy(column, isAscending ? "asc" : "desc");
  const [first] = columns;
  const { min, max } = range ?? {};
  const limits = {
    lower: min === undefined ? undefined : sql<SqlBool>`${first} >= ${min}`,
    upper: max === undefined ? undefined : sql<SqlBool>`${first} <= ${max}`,
  };
  // Replaces the limit of the range: SQLite uses one bound on each side of an index, and may read all from the limit to the key.
  if (position) {
    const beyond = sql.raw(isAscending ? ">" : "<");
    limits[isAscending ? "lower" : "upper"] = sql`(${sql.join(columns)}) ${beyond} (${sql.join(position.key)})`;
  }
  for (const condition of Object.values(limits)) if (condition !== undefined) page = page.where(condition);
  const keyOf = (row: O) => by.map((column) => row[column]);
  return makeCursorPage(ctx, list, await page.execute(), { limit, position, keyOf });
}

/** Makes a page, in the order of the list, from `limit` rows in the direction of `position` and one more if there is one. */
export function makeCursorPage<R, K>(
  ctx: Ctx,
  list: string,
  rows: readonly R[],
  { limit, position, keyOf }: { limit: number; position: Position<K> | undefined; keyOf: (row: R) => K },
): { rows: R[]; meta: { next_cursor: string | null; prev_cursor: string | null } } {
  const back = position?.direction === "before";
  const more = rows.length > limit;
  const shown = rows.slice(0, limit);
  if (back) shown.reverse();
  const first = shown[0];
  const last = shown.at(-1);
  const hasNext = back || more;
  const hasPrevious = back ? more : position !== undefined;
  return {
    rows: shown,
    meta: {
      next_cursor:
        hasNext && last !== undefined ? encodeCursor(ctx, list, { direction: "after", key: keyOf(last) }) : null,
      prev_cursor:
        hasPrevious && first !== undefined ? encodeCursor(ctx, list, { direction: "before", key: keyOf(first) }) : null,
    },
  };
}
