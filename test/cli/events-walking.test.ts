import fc from "fast-check";
import { expect, it } from "vitest";
import { type ListedEvent, walkEvents } from "../../src/cli/commands/events/walk-events.ts";
import type { Caller } from "../../src/contract/operation.ts";
import { tries } from "../support/effort.ts";

const furthest = 7;
const limit = 3;

/** A service whose lists end after so many events. */
function serviceWith(all: readonly ListedEvent[]): Caller {
  const call = async (_: unknown, input: { start?: number; end?: number; page?: number }) => {
    const { start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY, page = 1 } = input;
    const first = ({ dates }: ListedEvent) => dates.find((date) => date.start >= start)?.start;
    const found = all
      .filter((event) => first(event) !== undefined && first(event)! <= end)
      .sort((a, b) => first(a)! - first(b)! || a.id - b.id)
      .slice(0, furthest);
    const hits = found.slice((page - 1) * limit, page * limit);
    return { hits, meta: { pagination: { total_pages: Math.max(1, Math.ceil(found.length / limit)) } } };
  };
  return { call: call as Caller["call"], close: async () => {} };
}

const event = (id: number, starts: readonly number[]) =>
  ({ id, timezone: "UTC", days: [], dates: starts.map((start) => ({ start, end: start })) }) as unknown as ListedEvent;

async function idsOf(events: readonly ListedEvent[], filter: { start?: number; end?: number }): Promise<number[]> {
  const ids: number[] = [];
  for await (const page of walkEvents(serviceWith(events), filter, furthest)) ids.push(...page.map(({ id }) => id));
  return ids;
}

it("walkEvents yields all events once, also more than a list returns", async () => {
  const starts = fc
    .uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 5 })
    .map((some) => some.sort((a, b) => a - b));
  const bounds = fc.record(
    { start: fc.integer({ min: 0, max: 40 }), end: fc.integer({ min: 20, max: 60 }) },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(starts, { maxLength: 60 }), bounds, async (all, filter) => {
      const events = all.map((some, at) => event(at + 1, some));
      const firsts = Map.groupBy(events, ({ dates }) => dates.find(({ start }) => start >= (filter.start ?? 0))?.start);
      // The walk fails when as many events as a list returns begin at the same time.
      fc.pre([...firsts.values()].every((some) => some.length < furthest));
      const { start = 0, end = 60 } = filter;
      const expected = events.filter(({ dates }) => dates.some((date) => date.start >= start && date.start <= end));
      const ids = await idsOf(events, filter);
      expect(ids.toSorted((a, b) => a - b)).toEqual(expected.map(({ id }) => id));
    }),
    { numRuns: tries(500) },
  );
});

it("walkEvents fails when more events begin at the same time than a list returns", async () => {
  const many = Array.from({ length: 20 }, (_, at) => event(at + 1, [5]));
  await expect(idsOf(many, {})).rejects.toThrow("More than 7 events begin at the same time.");
});
