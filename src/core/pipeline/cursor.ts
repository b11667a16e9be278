import { type SelectQueryBuilder, type SqlBool, sql } from "kysely";
import { invalid } from "../../contract/errors.ts";
import type { Ctx } from "./context.ts";

/** The start of a page: `after` the item with that key or, when paging backwards, `before` it. */
export interface Position<K> {
  readonly direction: "after" | "before";
  readonly key: K;
}

const sealBytes = 9;

/** Returns an opaque cursor. Its seal covers the list and its filters, so it cannot be used with another list. */
export function encodeCursor<K>(ctx: Ctx, list: string, { direction, key }: Position<K>): string {
  const body = Buffer.from(JSON.stringify([direction === "after" ? 1 : 0, key]));
  return Buffer.concat([seal(ctx, list, body), body]).toString("base64url");
}

/**
 * Returns the position that a cursor encodes. Throws `validation_failed` for a forged cursor and for the cursor of
 * another list.
 */
export function decodeCursor<K>(ctx: Ctx, list: string, cursor: string | undefined): Position<K> | undefined {
  if (cursor === undefined) return undefined;
  const bytes = Buffer.from(cursor, "base64url");
  const body = bytes.subarray(sealBytes);
  if (body.length === 0 || !seal(ctx, list, body).equals(bytes.subarray(0, sealBytes))) {
    throw invalid({ cursor: ["is not a cursor of this list; start again without a cursor"] });
  }
  const [forward, key] = JSON.parse(body.toString()) as [number, K];
  return { direction: forward === 1 ? "after" : "before", key };
}

function seal({ instance }: Ctx, list: string, body: Buffer): Buffer {
  // node:crypto is loaded on demand: loading it takes longer than most commands that need no cursor.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256")
    .update(instance.tokenKey)
    .update(list)
    .update("\0")
    .update(body)
    .digest()
    .subarray(0, sealBytes);
}

/** Reads a page of a query, ordered by a column of numbers. */
export async function readPage<DB, TB extends keyof DB, K extends string, O extends Readonly<Record<K, number>>>(
  ctx: Ctx,
  query: SelectQueryBuilder<DB, TB, O>,
  column: K,
  { list, limit, cursor }: { list: string; limit: number; cursor: string | undefined },
) {
  const position = decodeCursor<number>(ctx, list, cursor);
  const back = position?.direction === "before";
  const key = sql.ref(column);
  let page = query.orderBy(key, back ? "desc" : "asc").limit(limit + 1);
  if (position) page = page.where(sql<SqlBool>`${key} ${sql.raw(back ? "<" : ">")} ${position.key}`);
  return makeCursorPage(ctx, list, await page.execute(), { limit, position, keyOf: (row) => row[column] });
}

/**
 * Makes a page from rows that were read in the direction of `position`. The caller reads one row more than `limit`,
 * which shows whether another page follows. Returns the rows in the order of the list.
 */
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
