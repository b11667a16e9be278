import type { z } from "zod";
import type { AnyOperation, Caller } from "../contract/operation.ts";
import { UsageError } from "./failure.ts";
import type { Input } from "./input.ts";

export type Item = Record<string, unknown>;

/** How much of a list is wanted. Without both, it is one page. */
export interface Extent {
  readonly all: boolean;
  readonly limit: number | undefined;
}

export interface Page {
  readonly items: readonly Item[];
  /** Whether the list goes on after this page. */
  readonly more: boolean;
  /** The response as the API gave it. */
  readonly response: unknown;
}

/** Walks a list page by page, whichever way it is continued. */
export async function* walk(
  caller: Caller,
  op: AnyOperation,
  input: Input,
  { all, limit }: Extent,
): AsyncGenerator<Page> {
  const most = pageLimit(op);
  let left = limit ?? Number.POSITIVE_INFINITY;
  if (left < 1) throw new UsageError("--limit must be at least 1");
  let next: Input | undefined = { ...input };
  // Pages by number have to keep their size, or items would be skipped.
  if (most !== undefined && (all || limit !== undefined)) next.limit = Math.min(left, most);
  while (next) {
    const asked: Input = next;
    const response: unknown = await caller.call(op, asked);
    const found = at(response, op.list?.items ?? "") as readonly Item[];
    const items = found.length > left ? found.slice(0, left) : found;
    left -= items.length;
    const following = continuation(op, asked, response, found.length);
    if (all) {
      (await import("./heap.ts")).keepHeapSmall(33_554_432);
      // A local database answers at once, so that nothing else would give Ctrl-C a turn.
      await new Promise(setImmediate);
    }
    yield { items, more: following !== undefined || items.length < found.length, response };
    next = left > 0 && (all || limit !== undefined) ? following : undefined;
  }
}

function continuation(op: AnyOperation, input: Input, response: unknown, count: number): Input | undefined {
  const page = Number(input.page ?? 1);
  const nextPage = { ...input, page: page + 1 };
  switch (op.list?.paging) {
    case "cursor": {
      const cursor = at(response, "meta.next_cursor");
      return cursor === null || cursor === undefined ? undefined : { ...input, cursor };
    }
    case "pages":
      return page < Number(at(response, "meta.last_page")) ? nextPage : undefined;
    case "hits":
      return page < Number(at(response, "meta.pagination.total_pages")) ? nextPage : undefined;
    case "numbered":
      return count > 0 ? nextPage : undefined;
    default:
      return undefined;
  }
}

/** The most items that a page of the operation may have. */
function pageLimit(op: AnyOperation): number | undefined {
  let field: z.ZodType | undefined = (op.input() as z.ZodObject).shape.limit as z.ZodType | undefined;
  while (field && "innerType" in field.def) field = field.def.innerType as z.ZodType;
  return (field as z.ZodNumber | undefined)?.maxValue ?? undefined;
}

export function at(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, name) => (inner as Item | null | undefined)?.[name], value);
}
