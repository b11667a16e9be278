import fc from "fast-check";
import { frequencies, type Rule, weekdays } from "../../src/contract/event-schemas.ts";

const longest = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

export const day = fc
  .date({ min: new Date("2026-01-01"), max: new Date("2031-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

const limit = fc.oneof(
  fc.constant({ until: null, count: null }),
  day.map((until) => ({ until, count: null })),
  fc.integer({ min: 1, max: 100_000 }).map((count) => ({ until: null, count })),
);

/** Any valid recurrence rule. */
export const rule: fc.Arbitrary<Rule> = fc
  .record({
    freq: fc.constantFrom(...frequencies),
    interval: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 1000 })),
    byday: fc.subarray([...weekdays]),
    bymonthday: orNull(fc.integer({ min: 1, max: 31 })),
    bymonth: orNull(fc.integer({ min: 1, max: 12 })),
    bysetpos: orNull(fc.constantFrom(1, 2, 3, 4, 5, -1)),
    limit,
  })
  .map(({ limit: { until, count }, ...parts }) => ({
    ...parts,
    until,
    count,
    bymonthday:
      parts.freq === "weekly" || parts.bymonthday === null
        ? null
        : Math.min(parts.bymonthday, longest[(parts.bymonth ?? 1) - 1]!),
    bysetpos: parts.byday.length > 0 ? parts.bysetpos : null,
  }));
