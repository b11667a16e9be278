import { expect, it } from "vitest";
import { z } from "zod";
import { walk } from "../../src/cli/kit/walk-list.ts";
import { type AnyOperation, type Caller, operation, type Paging } from "../../src/contract/operation.ts";

const total = 23;
const largest = 10;

function listOf(paging: Paging): AnyOperation {
  return operation("GET", "/things", "Things", {
    access: "public",
    input: () => ({
      limit: z.int().min(1).max(largest).default(4),
      page: z.int().default(1),
      cursor: z.string().optional(),
      before: z.int().optional(),
    }),
    output: () => z.object({}),
    list: { items: paging === "hits" ? "hits" : "data", paging },
  });
}

interface Asked {
  readonly limit?: number;
  readonly page?: number;
  readonly cursor?: string;
  readonly before?: number;
}

/** Creates a caller of a service with `total` items that records its calls. */
function service(paging: Exclude<Paging, "ids">): Caller & { asked: Asked[] } {
  const asked: Asked[] = [];
  return {
    asked,
    async call(_, given) {
      const input = given as Asked;
      asked.push(input);
      const size = input.limit ?? 4;
      if (size > largest) throw new Error("too many at once");
      const page = input.page ?? 1;
      const from = paging === "cursor" ? Number(input.cursor ?? 0) : (page - 1) * size;
      const items = Array.from({ length: Math.min(size, Math.max(0, total - from)) }, (_, at) => ({
        id: from + at + 1,
      }));
      const pages = Math.ceil(total / size);
      const next = from + size < total ? String(from + size) : null;
      const answers: Record<typeof paging, unknown> = {
        cursor: { data: items, meta: { next_cursor: next, prev_cursor: null } },
        pages: { data: items, links: {}, meta: { current_page: page, last_page: pages } },
        hits: { hits: items, meta: { pagination: { current_page: page, total_pages: pages } } },
      };
      return answers[paging] as never;
    },
    close: async () => {},
  };
}

async function ids(paging: Exclude<Paging, "ids">, extent: { all: boolean; limit: number | undefined }) {
  const caller = service(paging);
  const found: unknown[] = [];
  let more: boolean | undefined;
  for await (const page of walk(caller, listOf(paging), {}, extent)) {
    found.push(...page.items.map((item) => (item as { id: number }).id));
    more = page.more;
  }
  return { found, more, asked: caller.asked };
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

it.each(["cursor", "pages", "hits"] as const)(
  "walk reads a whole list, and as much of it as a limit allows, with paging by %s",
  async (paging) => {
    const page = await ids(paging, { all: false, limit: undefined });
    expect(page.found).toEqual(upTo(4));
    expect(page.asked).toEqual([{}]);
    expect(page.more).toBe(true);

    const all = await ids(paging, { all: true, limit: undefined });
    expect(all.found).toEqual(upTo(total));
    expect(all.asked.every(({ limit }) => limit === largest)).toBe(true);
    expect(all.more).toBe(false);

    const few = await ids(paging, { all: false, limit: 3 });
    expect(few.found).toEqual(upTo(3));
    expect(few.asked.map(({ limit }) => limit)).toEqual([3]);
    expect(few.more).toBe(true);

    const some = await ids(paging, { all: false, limit: 12 });
    expect(some.found).toEqual(upTo(12));
    expect(some.asked).toHaveLength(2);
    expect(new Set(some.asked.map(({ limit }) => limit))).toEqual(new Set([largest]));
    expect(some.more).toBe(true);

    const exact = await ids(paging, { all: false, limit: total });
    expect(exact.found).toEqual(upTo(total));
  },
);

it("walk continues a list with the newest items first after the last ID, so that new items do not repeat others", async () => {
  const things = upTo(total);
  const caller: Caller = {
    async call(_, given) {
      const { limit = 4, page = 1, before = Number.POSITIVE_INFINITY } = given as Asked;
      const matching = things.filter((id) => id < before).reverse();
      const data = matching.slice((page - 1) * limit, page * limit).map((id) => ({ id }));
      // A new item arrives after each page.
      things.push(things.length + 1);
      return { data, meta: { current_page: page, last_page: Math.ceil(matching.length / limit) } } as never;
    },
    close: async () => {},
  };
  const read = async (input: Asked) => {
    const found: number[] = [];
    for await (const { items } of walk(caller, listOf("ids"), { ...input })) {
      found.push(...items.map((item) => (item as { id: number }).id));
    }
    return found;
  };
  expect(await read({})).toEqual(upTo(total).reverse());
  const known = things.length;
  expect(await read({ page: 2 })).toEqual(upTo(known - largest).reverse());
});
