import type { Paging } from "../../contract/operation.ts";

/** A page of any kind, as far as it says whether there is another one. */
interface PagedResponse {
  readonly data?: readonly { readonly id?: number }[];
  readonly meta?: {
    readonly next_cursor?: string | null;
    readonly last_page?: number;
    readonly pagination?: { readonly total_pages?: number };
  };
}

export function nextPageInput(
  paging: Paging | undefined,
  input: Readonly<Record<string, unknown>>,
  response: unknown,
): Record<string, unknown> | undefined {
  const { data, meta } = response as PagedResponse;
  const { page: asked, ...withoutPage } = input;
  const page = Number(asked ?? 1);
  const nextPage = { ...input, page: page + 1 };
  switch (paging) {
    case "cursor":
      return meta?.next_cursor == null ? undefined : { ...input, cursor: meta.next_cursor };
    case "pages":
      return page < Number(meta?.last_page) ? nextPage : undefined;
    case "ids":
      return page < Number(meta?.last_page) ? { ...withoutPage, before: data?.at(-1)?.id } : undefined;
    case "hits":
      return page < Number(meta?.pagination?.total_pages) ? nextPage : undefined;
    default:
      return undefined;
  }
}
