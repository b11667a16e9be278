import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Rule, weekdays } from "../../src/contract/event-schemas.ts";
import { events } from "../../src/contract/events.ts";
import { settings } from "../../src/contract/settings.ts";
import { tries } from "../support/effort.ts";
import { type Instance, newInstance } from "../support/instance.ts";
import { outcome } from "../support/outcome.ts";
import { icalDays, instantOf, isForIcal, type PlainRule, plainDays, wallClock } from "../support/plain-recurrence.ts";
import { mistakes } from "../support/tables.ts";

const zones = ["Europe/Copenhagen", "America/New_York", "Australia/Lord_Howe"] as const;
const max = 730;
const seconds = (text: string) => Date.parse(text) / 1000;

/** First days, often near a clock change, at the end of February, or on a day that some months do not have. */
const start = fc.oneof(
  fc.integer({ min: seconds("2023-01-01"), max: seconds("2032-01-01") }),
  fc
    .constantFrom(
      ...["2026-03-29T00:30Z", "2026-10-25T00:30Z", "2026-03-08T07:30Z", "2026-11-01T05:30Z", "2026-10-03T15:45Z"],
      ...["2026-04-04T15:15Z", "2024-02-29T12:00Z", "2028-02-29T01:00Z", "2025-02-28T12:00Z", "2025-01-31T09:00Z"],
    )
    .chain((near) => fc.integer({ min: -3, max: 3 }).map((days) => seconds(near) + days * 86_400)),
);
const rule: fc.Arbitrary<PlainRule> = fc
  .record({
    freq: fc.constantFrom<Rule["freq"][]>("daily", "weekly", "monthly", "yearly"),
    interval: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 5 })),
    byday: fc.subarray([...weekdays]),
    bymonthday: fc.option(fc.integer({ min: 1, max: 31 })),
    bymonth: fc.option(fc.integer({ min: 1, max: 12 })),
    bysetpos: fc.option(fc.constantFrom(1, 2, 3, 4, 5, -1)),
  })
  .map((given) => ({
    ...given,
    bymonthday: given.freq === "weekly" ? null : given.bymonthday,
    bysetpos: given.byday.length === 0 ? null : given.bysetpos,
  }));
const end = fc.oneof(
  fc.constant({}),
  fc.record({ count: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ days: fc.integer({ min: 0, max: 2500 }) }),
);
type End = { readonly count?: number; readonly days?: number };

describe("recurrence", () => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await newInstance({ database: "sqlite", caller: "local" });
  });
  afterAll(async () => {
    const found = await mistakes(instance.database);
    await instance.close();
    expect(found).toEqual([]);
  });
  const create = async (input: object) => {
    const result = await outcome(
      instance.administrator.call(events.create, { title: "Again", type: "user", ...input } as never),
    );
    if ("refusal" in result) return result.refusal.fields ?? {};
    return instance.administrator.call(events.get, { id: (result.answer as { id: number }).id });
  };
  const untilOf = (first: string, { days }: End) =>
    days === undefined ? {} : { until: new Date(Date.parse(first) + days * 86_400_000).toISOString().slice(0, 10) };
  /** The first day, and those of the rule after it. */
  const cut = (first: string, named: readonly string[], { count = max }: End, until = "9999") => {
    const again = named.slice(0, max).filter((day) => day !== first && day <= until);
    return [first, ...again].slice(0, Math.min(count, max));
  };

  for (const timezone of zones) {
    it(`equals two other calculations, in the time zone ${timezone}`, async () => {
      await instance.administrator.call(settings.set, { timezone });
      let compared = 0;
      const property = fc.asyncProperty(
        start,
        fc.integer({ min: 0, max: 200_000 }),
        rule,
        end,
        async (begin, lasts, rule, end) => {
          const wall = wallClock(begin, timezone);
          const [first, time] = [wall.slice(0, 10), wall.slice(10)];
          const { until } = untilOf(first, end) as { until?: string };
          const { count } = end as End;
          const recurrence = [{ ...rule, count, until }];
          const answer = await create({ start: begin, end: begin + lasts, recurrence });
          const named = plainDays(first, rule);
          if (!named.some((day) => until === undefined || day <= until)) {
            expect(Object.keys(answer)).toEqual(["recurrence.0"]);
            return;
          }
          const days = cut(first, named, end, until);
          const expected = days.map((day, at) => (at === 0 ? begin : instantOf(day + time, timezone)));
          expect(answer).toMatchObject({ dates: expected.map((at) => ({ start: at, end: at + lasts })) });
          if (isForIcal(rule)) {
            compared += 1;
            expect(icalDays(named, rule)).toEqual(named);
          }
        },
      );
      await fc.assert(property, { numRuns: tries(150) });
      expect(compared).toBeGreaterThan(0);
    });
  }

  it("all-day occurrences last from midnight to midnight, also when clocks change", async () => {
    const timezone = "America/New_York";
    await instance.administrator.call(settings.set, { timezone });
    const property = fc.asyncProperty(start, rule, async (begin, rule) => {
      const first = wallClock(begin, timezone).slice(0, 10);
      const answer = await create({ all_day: true, date: first, recurrence: [rule] });
      const named = plainDays(first, rule);
      if (named.length === 0) {
        expect(Object.keys(answer)).toEqual(["recurrence.0"]);
        return;
      }
      const days = cut(first, named, {});
      expect(answer).toMatchObject({ days, dates: [], date: first });
      const midnight = (day: string) => instantOf(`${day}T00:00:00`, timezone);
      const next = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
      const rows = await instance.database.reader
        .selectFrom("event_dates")
        .select(["start_at", "end_at", "day"])
        .where("event_id", "=", (answer as { id: number }).id)
        .orderBy("start_at")
        .execute();
      expect(rows.map((row) => ({ ...row }))).toEqual(
        days.map((day) => ({ start_at: midnight(day), end_at: midnight(next(day)), day })),
      );
    });
    await fc.assert(property, { numRuns: tries(40) });
  });

  it("has at most 730 occurrences, within five years", async () => {
    const day = { all_day: true, date: "2024-02-29" };
    const ends = async (...recurrence: object[]) => {
      const { days } = (await create({ ...day, recurrence })) as { days: string[] };
      return [days.length, days.at(-1)];
    };
    expect(await ends({ freq: "daily" })).toEqual([730, "2026-02-27"]);
    expect(await ends({ freq: "daily", count: 100_000 })).toEqual([730, "2026-02-27"]);
    expect(await ends({ freq: "daily" }, { freq: "monthly" })).toEqual([730, "2026-02-27"]);
    expect(await ends({ freq: "daily", count: 700 }, { freq: "monthly" })).toEqual([730, "2028-08-29"]);
    expect(await ends({ freq: "monthly", bymonthday: 28, count: 100 })).toEqual([61, "2029-02-28"]);
    expect(await ends({ freq: "yearly", until: "2040-01-01" })).toEqual([2, "2028-02-29"]);
  });

  it("of several rules has the days of each", async () => {
    const timezone = "Europe/Copenhagen";
    await instance.administrator.call(settings.set, { timezone });
    const rules = fc.uniqueArray(fc.tuple(rule, end), { minLength: 2, maxLength: 4, selector: JSON.stringify });
    const property = fc.asyncProperty(start, rules, async (begin, rules) => {
      const first = wallClock(begin, timezone).slice(0, 10);
      const recurrence = rules.map(([rule, end]) => ({ ...rule, count: (end as End).count, ...untilOf(first, end) }));
      const answer = await create({ all_day: 1, date: first, recurrence });
      const named = recurrence.map((rule) => plainDays(first, rule).filter((day) => !(day > (rule.until ?? "9999"))));
      const never = named.flatMap((days, at) => (days.length === 0 ? [`recurrence.${at}`] : []));
      if (never.length > 0) {
        expect(Object.keys(answer)).toEqual(never);
        return;
      }
      const all = rules.flatMap(([, end], at) => cut(first, named[at]!, end as End));
      expect(answer).toMatchObject({ days: [...new Set(all)].sort().slice(0, max) });
    });
    await fc.assert(property, { numRuns: tries(40) });
  });
});
