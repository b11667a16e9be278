import { invalid } from "../contract/errors.ts";
import type { Ctx } from "./context.ts";

/** Where a page begins: `after` the item with that key, or, going back, `before` it. */
export interface Position<K> {
  readonly direction: "after" | "before";
  readonly key: K;
}

const sealBytes = 9;

/** An opaque cursor, sealed with what the list was filtered by: it fits no other list. */
export function encodeCursor<K>(ctx: Ctx, list: string, { direction, key }: Position<K>): string {
  const body = Buffer.from(JSON.stringify([direction === "after" ? 1 : 0, key]));
  return Buffer.concat([seal(ctx, list, body), body]).toString("base64url");
}

/** The position that a cursor stands for. `validation_failed` for a forged one, and for that of another list. */
export function decodeCursor<K>(ctx: Ctx, list: string, cursor: string | undefined): Position<K> | undefined {
  if (cursor === undefined) return undefined;
  const bytes = Buffer.from(cursor, "base64url");
  const body = bytes.subarray(sealBytes);
  if (body.length === 0 || !seal(ctx, list, body).equals(bytes.subarray(0, sealBytes))) {
    throw invalid({ cursor: ["is not a cursor of this list; begin without one"] });
  }
  const [forward, key] = JSON.parse(body.toString()) as [number, K];
  return { direction: forward === 1 ? "after" : "before", key };
}

function seal({ instance }: Ctx, list: string, body: Buffer): Buffer {
  // Loading it takes longer than most commands that need no cursor.
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha256")
    .update(instance.tokenKey)
    .update(list)
    .update("\0")
    .update(body)
    .digest()
    .subarray(0, sealBytes);
}

/**
 * Makes a page of rows that were read in the direction of `position`, one more than `limit` to see whether there are
 * more. Rows come out in the order of the list.
 */
export function page<R, K>(
  ctx: Ctx,
  list: string,
  rows: readonly R[],
  { limit, position, keyOf }: { limit: number; position: Position<K> | undefined; keyOf: (row: R) => K },
): { rows: R[]; meta: { next_cursor: string | null; prev_cursor: string | null } } {
  const back = position?.direction === "before";
  const more = rows.length > limit;
  const kept = rows.slice(0, limit);
  if (back) kept.reverse();
  const first = kept[0];
  const last = kept.at(-1);
  const hasNext = back || more;
  const hasPrevious = back ? more : position !== undefined;
  return {
    rows: kept,
    meta: {
      next_cursor:
        hasNext && last !== undefined ? encodeCursor(ctx, list, { direction: "after", key: keyOf(last) }) : null,
      prev_cursor:
        hasPrevious && first !== undefined ? encodeCursor(ctx, list, { direction: "before", key: keyOf(first) }) : null,
    },
  };
}
