import type { Ctx } from "./context.ts";

/** Returns a numbered page with totals and links. A page after the last one is empty and has the same totals. */
export function numberedPage<T>(
  ctx: Ctx,
  resource: string,
  input: { page: number; limit: number } & Record<string, unknown>,
  { items, total }: { items: T[]; total: number },
) {
  const { page, limit, ...filter } = input;
  const last = Math.max(Math.ceil(total / limit), 1);
  const path = `${ctx.settings.base_url ?? ctx.servedAt ?? ""}/api${resource}`;
  const link = (number: number) => {
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(filter)) if (value !== undefined) query.set(key, String(value));
    query.set("limit", String(limit));
    query.set("page", String(number));
    return `${path}?${query}`;
  };
  const before = (page - 1) * limit;
  return {
    data: items,
    links: {
      first: link(1),
      last: link(last),
      prev: page > 1 ? link(Math.min(page - 1, last)) : null,
      next: page < last ? link(page + 1) : null,
    },
    meta: {
      current_page: page,
      from: items.length > 0 ? before + 1 : null,
      last_page: last,
      path,
      per_page: limit,
      to: items.length > 0 ? before + items.length : null,
      total,
    },
  };
}
