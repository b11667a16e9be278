import { expect, it, vi } from "vitest";
import type { Rule } from "../../src/contract/event-schemas.ts";
import { events } from "../../src/contract/events.ts";
import { posts } from "../../src/contract/posts.ts";
import { takeTurn } from "../../src/core/pipeline/event-loop-turns.ts";
import { daysByRule } from "../../src/core/pipeline/recurrence/rule-days.ts";
import { useWorld } from "../support/actors.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { wrongFields } from "../support/outcome.ts";

// The instance runs in the process of the test, over HTTP as well, so that its work can be counted.
vi.mock("../../src/core/pipeline/recurrence/rule-days.ts", { spy: true });
vi.mock("../../src/core/pipeline/event-loop-turns.ts", { spy: true });

const start = Date.parse("2026-06-01T09:00:00Z") / 1000;
const event = { title: "Again", type: "user", start, end: start + 3600 } as const;
const daily = (count: number) => ({ freq: "daily", count }) as const;
const fourRules = [99_999, 99_998, 99_997, 99_996].map(daily);

describeOnOneDatabase("recurrence", (environment) => {
  const world = useWorld(environment);
  const create = (recurrence: readonly object[]) =>
    world().actors.member.call(events.create, { ...event, recurrence: recurrence as never });
  const read = (id: number) => world().actors.member.call(events.get, { id });
  /** How many turns of the event loop `work` takes for rules. */
  const turnsOf = async (work: () => Promise<unknown>) => {
    vi.mocked(takeTurn).mockClear();
    await work();
    return vi.mocked(takeTurn).mock.calls.length;
  };

  it("Twenty rules in one event are refused, and so are five, before any is expanded", async () => {
    vi.mocked(daysByRule).mockClear();
    for (const count of [20, 5]) {
      const rules = Array.from({ length: count }, (_, n) => daily(100_000 - n));
      expect(await wrongFields(create(rules))).toEqual(["recurrence"]);
    }
    expect(daysByRule).not.toHaveBeenCalled();
    const { id } = await create(fourRules);
    expect((await read(id)).dates).toHaveLength(730);
  });

  it("One rule cannot be given twice, however it is written", async () => {
    expect(await wrongFields(create([daily(3), daily(3)]))).toEqual(["recurrence"]);
    const mondays = { freq: "weekly", byday: "MO+TU", bymonth: "3" };
    expect(await wrongFields(create([mondays, daily(3), { ...mondays, byday: ["TU", "MO"], bymonth: 3 }]))).toEqual([
      "recurrence",
    ]);
    const { id } = await create([mondays]);
    const change = { id, recurrence: [daily(3), { ...daily(3), interval: 1 }] };
    expect(await wrongFields(world().actors.member.call(events.update, change))).toEqual(["recurrence"]);
  });

  const never: readonly Partial<Rule>[] = [
    { freq: "yearly", bymonth: 2, bymonthday: 30 },
    { freq: "daily", bymonth: 2, bymonthday: 31 },
    { freq: "monthly", bymonth: 4, bymonthday: 31 },
    { freq: "daily", byday: ["MO", "TU"], bysetpos: 2 },
    { freq: "weekly", byday: ["MO", "TU"], bysetpos: 3 },
    { freq: "monthly", byday: ["MO"], bymonthday: 1, bysetpos: 2 },
    { freq: "yearly", byday: ["MO"], bymonthday: 1, bymonth: 3, bysetpos: -1, until: "2026-06-02" },
  ];
  it.each(never.slice(0, -1))("A rule that no year has is refused before it is expanded: %j", async (rule) => {
    vi.mocked(daysByRule).mockClear();
    expect(await wrongFields(create([rule]))).toEqual(["recurrence.0"]);
    expect(daysByRule).not.toHaveBeenCalled();
  });

  it("A rule that only these five years do not have is refused after a look at them", async () => {
    expect(await wrongFields(create([never.at(-1)!]))).toEqual(["recurrence.0"]);
    const { id } = await create([{ freq: "daily", bymonth: 2, bymonthday: 29 }]);
    expect((await read(id)).dates).toHaveLength(2);
  });

  it.each([
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30,31",
    "FREQ=DAILY;BYMONTH=2,4;BYMONTHDAY=31,-31",
    "FREQ=DAILY;BYDAY=MO,TU;BYSETPOS=2,-2",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=300",
  ])("A post's rule that no year has is refused before it is expanded: %s", async (repeat_rules) => {
    vi.mocked(daysByRule).mockClear();
    const post = { content_type: "event", title: "Again", event: { datetime_start: "2026-06-01T09:00", repeat_rules } };
    const written = world().actors.administrator.call(posts.create, post as never);
    expect(await wrongFields(written)).toEqual(["event.repeat_rules"]);
    expect(daysByRule).not.toHaveBeenCalled();
  });

  it("A rule that goes on 100,000 times costs no more than the 730 times that it can have", async () => {
    const max = await turnsOf(() => create([daily(730)]));
    expect(await turnsOf(() => create([daily(100_000)]))).toBe(max);
    expect(await turnsOf(() => create(fourRules))).toBeLessThan(4 * max);
    const post = (repeat_rules: string) => () =>
      world().actors.administrator.call(posts.create, {
        content_type: "event",
        title: "Again",
        event: { datetime_start: "2026-06-01T09:00", repeat_rules },
      });
    expect(await turnsOf(post("FREQ=DAILY;COUNT=99999"))).toBe(await turnsOf(post("FREQ=DAILY;COUNT=730")));
  });

  it("Events that are expanded at the same time do not share a turn of the event loop", async () => {
    let turns = 0;
    let running = true;
    const count = () => {
      turns += 1;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    const parts = await turnsOf(() => Promise.all(Array.from({ length: 8 }, () => create(fourRules))));
    running = false;
    expect(parts).toBeGreaterThan(8 * 4 * 5);
    expect(turns).toBeGreaterThanOrEqual(parts);
  });

  it("Twenty rules that an event has from before are not expanded when its time changes", async () => {
    const { id } = await create([daily(3)]);
    const { recurrence } = await read(id);
    const rules = Array.from({ length: 20 }, (_, n) => ({ ...recurrence[0], count: 100_000 - n }));
    await world().instance.database.write((db) =>
      db
        .updateTable("events")
        .set({ recurrence: JSON.stringify(rules) })
        .where("id", "=", id)
        .execute(),
    );
    vi.mocked(daysByRule).mockClear();
    const { member } = world().actors;
    expect(await wrongFields(member.call(events.update, { id, start: start + 60 }))).toEqual(["recurrence"]);
    expect(daysByRule).not.toHaveBeenCalled();
    await member.call(events.update, { id, title: "Still" });
    await member.call(events.update, { id, start: start + 60, recurrence: [daily(3)] });
    expect((await read(id)).dates).toHaveLength(3);
  });
});
