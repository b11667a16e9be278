import type { z } from "zod";
import { fieldsOf } from "../../contract/field-spec.ts";
import type { AnyOperation, Caller, ItemOf } from "../../contract/operation.ts";
import { nextPageInput } from "../../http/client/next-page.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { formatOf } from "../output/create-output.ts";
import { type Page, valueAt } from "../output/item.ts";
import type { Context } from "./command-spec.ts";
import { parseInteger } from "./parse-value.ts";
import type { Input } from "./read-input.ts";

export interface Extent {
  readonly all: boolean;
  readonly limit: number | undefined;
}

/** Returns how many items to fetch: one page on a terminal; all for scripts, CSV, NDJSON and drawings unless a flag limits them. */
export function extentOf({ flags, globals, terminal }: Context, isPicture = false): Extent {
  if (globals.raw && flags.all) throw new UsageError("--raw and --all cannot be used together");
  const limit = flags.limit === undefined ? undefined : parseInteger(flags.limit, "--limit");
  const format = formatOf({ globals, terminal });
  const isForScripts = !terminal.stdoutIsTerminal || format === "csv" || format === "ndjson";
  const isBounded =
    limit !== undefined || flags.page !== undefined || flags.cursor !== undefined || globals.raw === true;
  const isWhole = flags.all === true || (isPicture && globals.raw !== true) || (isForScripts && !isBounded);
  return { all: isWhole, limit };
}

/** Yields the pages of a list, by default of the whole list. Supports every kind of paging. */
export async function* walk<O extends AnyOperation>(
  caller: Caller,
  op: O,
  input: Input,
  { all, limit }: Extent = { all: true, limit: undefined },
): AsyncGenerator<Page<ItemOf<O> & object>> {
  const max = pageLimit(op);
  let left = limit ?? Number.POSITIVE_INFINITY;
  if (left < 1) throw new UsageError("--limit must be at least 1");
  let next: Input | undefined = { ...input };
  // The page size must stay the same, or numbered pages would skip items.
  if (max !== undefined && (all || limit !== undefined)) next.limit = Math.min(left, max);
  while (next) {
    const asked: Input = next;
    const response: unknown = await caller.call<AnyOperation>(op, asked);
    const found = valueAt(response, op.list?.items ?? "") as readonly (ItemOf<O> & object)[];
    const items = found.length > left ? found.slice(0, left) : found;
    left -= items.length;
    const following = nextPageInput(op.list?.paging, asked, response);
    if (all && following !== undefined) {
      (await import("../file-io/heap-limit.ts")).limitHeap(8_388_608);
      // A local database answers synchronously: yield to the event loop, so that Ctrl-C is handled.
      await new Promise(setImmediate);
    }
    const isCut = items.length < found.length || (op.list?.paging === undefined && found.length === limitOf(op, asked));
    yield { items, more: following !== undefined || isCut, response };
    next = left > 0 && (all || limit !== undefined) ? following : undefined;
  }
}

/** Yields all items of a list. Throws when the signal is aborted. */
export async function* walkItems<O extends AnyOperation>(
  caller: Caller,
  op: O,
  input: Input,
  signal?: AbortSignal,
): AsyncGenerator<ItemOf<O> & object> {
  for await (const { items } of walk(caller, op, input)) {
    signal?.throwIfAborted();
    yield* items;
  }
}

/** Returns the limit that applies to a request, if any. A list without pages that is as long may have been cut. */
const limitOf = (op: AnyOperation, { limit }: Input): unknown =>
  limit ?? fieldsOf(op).find(({ name }) => name === "limit")?.default;

function pageLimit(op: AnyOperation): number | undefined {
  let field: z.ZodType | undefined = (op.input() as z.ZodObject).shape.limit as z.ZodType | undefined;
  while (field && "innerType" in field.def) field = field.def.innerType as z.ZodType;
  return (field as z.ZodNumber | undefined)?.maxValue ?? undefined;
}
