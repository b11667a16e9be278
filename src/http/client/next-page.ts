import type { Paging } from "../../contract/operation.ts";
import { PermanentError } from "./permanent-error.ts";

/** A page of any kind, as far as it says whether there is another one. */
interface PagedResponse {
  readonly data?: readonly { readonly id?: number }[];
  readonly hits?: readonly unknown[];
  readonly meta?: {
    readonly next_cursor?: unknown;
    readonly last_page?: number;
    readonly pagination?: { readonly total_pages?: number };
  };
}

/** Returns the input for the next page; undefined after the last one. Throws `unavailable` when the next page would be the same. */
export function nextPageInput(
  paging: Paging | undefined,
  input: Readonly<Record<string, unknown>>,
  response: unknown,
): Record<string, unknown> | undefined {
  const { data, hits, meta } = response as PagedResponse;
  // An empty page is the last one even if it names a next page: a broken server would otherwise never end.
  if ((data ?? hits)?.length === 0) return undefined;
  const { page: asked, ...withoutPage } = input;
  const page = Number(asked ?? 1);
  const nextPage = { ...input, page: page + 1 };
  switch (paging) {
    case "cursor":
      if (meta?.next_cursor == null) return undefined;
      if (typeof meta.next_cursor !== "string" || meta.next_cursor === input.cursor) throw samePage();
      return { ...input, cursor: meta.next_cursor };
    case "pages":
      return page < Number(meta?.last_page) ? nextPage : undefined;
    case "ids":
      if (!(page < Number(meta?.last_page))) return undefined;
      if (!(Number(data?.at(-1)?.id) < Number(input.before ?? Number.POSITIVE_INFINITY))) throw samePage();
      return { ...withoutPage, before: data?.at(-1)?.id };
    case "hits":
      return page < Number(meta?.pagination?.total_pages) ? nextPage : undefined;
    default:
      return undefined;
  }
}

const samePage = () => new PermanentError("unavailable", "The service answered with a list that does not end.");
