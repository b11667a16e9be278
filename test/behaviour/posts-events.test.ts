import { describe, expect, it } from "vitest";
import { posts } from "../../src/contract/posts.ts";
import { users } from "../../src/contract/users.ts";
import { describeOnOneDatabase } from "../support/instance.ts";
import { type NewPost, type Post, useNewsroom } from "../support/newsroom.ts";
import { codeOf, wrongFields } from "../support/outcome.ts";

type EventFields = NonNullable<NewPost["event"]>;
const zone = "Europe/Copenhagen";
const at = (text: string) => Date.parse(text) / 1000;

describeOnOneDatabase("event posts", (environment) => {
  const newsroom = useNewsroom(environment);
  const write = async (event: EventFields) =>
    (await newsroom().write({ content_type: "event", title: "Event", event: { timezone: zone, ...event } })) as Dated;
  type Shown = NonNullable<Post["event"]>;
  type Dated = Post & { event: Shown };
  const change = (id: number, event: EventFields) => newsroom().actors.administrator.call(posts.update, { id, event });
  const read = async (id: number) => (await newsroom().actors.administrator.call(posts.get, { id })).event!;
  const days = ({ event }: Dated) => event.dates.map(({ start }) => new Date(start * 1000).toISOString().slice(0, 10));

  it("posts.get shows the event of a post, and the participation in two places", async () => {
    const { event, participation } = await write({
      datetime_start: "2026-06-01T09:00",
      datetime_end: "2026-06-01T10:30",
      location: "Canteen",
      link: "https://example.com/menu",
      participation: { enabled: true },
    });
    expect(event).toEqual({
      location: "Canteen",
      link: "https://example.com/menu",
      all_day: false,
      datetime_start: "2026-06-01T09:00:00+02:00",
      datetime_end: "2026-06-01T10:30:00+02:00",
      dates: [{ start: at("2026-06-01T07:00Z"), end: at("2026-06-01T08:30Z") }],
      recurrence: null,
      rrule: null,
      end_date: null,
      timezone: zone,
      participation: { enabled: true, rsvp: null, invited: expect.any(Number), accepted: 0, rejected: 0 },
    });
    expect(participation).toEqual(event.participation);
    expect(participation!.invited).toBeGreaterThan(3);
  });

  it("posts.create converts times with an offset to the event's time zone, by default that of the instance", async () => {
    const { event } = await write({ datetime_start: "2026-06-01T12:00:30-04:00" });
    expect([event.datetime_start, event.datetime_end]).toEqual(Array(2).fill("2026-06-01T18:00:30+02:00"));
    const utc = await newsroom().write({ content_type: "event", event: { datetime_start: "2026-06-01T09:00" } });
    expect(utc.event).toMatchObject({ timezone: "UTC", datetime_start: "2026-06-01T09:00:00+00:00" });
  });

  it("posts.create: the offset distinguishes the hour that occurs twice", async () => {
    const { event } = await write({
      datetime_start: "2026-10-25T02:30:00+02:00",
      datetime_end: "2026-10-25T02:30:00+01:00",
    });
    expect(event.dates).toEqual([{ start: at("2026-10-25T00:30Z"), end: at("2026-10-25T01:30Z") }]);
    expect(await read((await write(plain(event))).id)).toMatchObject({ dates: event.dates });
  });

  it("posts.create: all-day events last from midnight to midnight after the last day, also when clocks change", async () => {
    const { event } = await write({ all_day: true, datetime_start: "2026-03-28", datetime_end: "2026-03-29" });
    expect(event).toMatchObject({ datetime_start: "2026-03-28", datetime_end: "2026-03-29" });
    expect(event.dates).toEqual([{ start: at("2026-03-27T23:00Z"), end: at("2026-03-29T22:00Z") }]);
  });

  it("posts.create: recurrences keep the local time when clocks change", async () => {
    const weekly = { freq: "weekly" as const, count: 3 };
    const { event } = await write({
      datetime_start: "2026-03-20T09:00",
      datetime_end: "2026-03-20T10:00",
      recurrence: weekly,
    });
    expect(event.dates.map(({ start }) => start)).toEqual(
      ["2026-03-20T08:00Z", "2026-03-27T08:00Z", "2026-04-03T07:00Z"].map(at),
    );
    expect(event.dates.every(({ start, end }) => end - start === 3600)).toBe(true);
    const rest = { until: null, interval: null, bymonthday: null, bymonth: null, bysetpos: null };
    expect(event).toMatchObject({ rrule: "FREQ=WEEKLY;COUNT=3", recurrence: { ...weekly, ...rest } });
  });

  describe("recurrence", () => {
    const start = { datetime_start: "2026-01-31T09:00" };
    it.each([
      [{ freq: "daily", interval: 2, count: 3 }, ["2026-01-31", "2026-02-02", "2026-02-04"]],
      [{ freq: "daily", until: "2026-02-02" }, ["2026-01-31", "2026-02-01", "2026-02-02"]],
      [{ freq: "daily", until: "2026-02-02T09:00" }, ["2026-01-31", "2026-02-01", "2026-02-02"]],
      [{ freq: "daily", until: "2026-02-02T08:59" }, ["2026-01-31", "2026-02-01"]],
      [{ freq: "daily", until: "2026-02-02T08:00:00Z" }, ["2026-01-31", "2026-02-01", "2026-02-02"]],
      [{ freq: "monthly", bymonthday: 31, count: 3 }, ["2026-01-31", "2026-03-31", "2026-05-31"]],
      [{ freq: "yearly", bymonth: 2, bymonthday: 29, count: 3 }, ["2026-01-31", "2028-02-29"]],
      [{ freq: "yearly", bymonthday: 15, bysetpos: -1, count: 2 }, ["2026-01-31", "2026-12-15"]],
      [{ freq: "yearly", bymonthday: 15, bysetpos: 12, count: 2 }, ["2026-01-31", "2026-12-15"]],
    ] as const)("%j", async (recurrence, expected) => {
      expect(days(await write({ ...start, recurrence }))).toEqual(expected);
    });

    it.each([
      ["FREQ=WEEKLY;BYDAY=MO,WE;COUNT=4", ["2026-01-31", "2026-02-02", "2026-02-04", "2026-02-09"]],
      ["rrule:freq=monthly;byday=-1FR;until=20260401", ["2026-01-31", "2026-02-27", "2026-03-27"]],
      ["FREQ=MONTHLY;BYMONTHDAY=1,15;UNTIL=20260301T080000Z", ["2026-01-31", "2026-02-01", "2026-02-15", "2026-03-01"]],
      ["FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20260203", ["2026-01-31", "2026-02-02", "2026-02-03"]],
      ["FREQ=YEARLY;BYWEEKNO=10;COUNT=3", ["2026-01-31", "2026-03-07", "2027-03-13"]],
      ["FREQ=YEARLY;BYMONTH=1,2;BYMONTHDAY=31;COUNT=3", ["2026-01-31", "2027-01-31", "2028-01-31"]],
    ])("repeat_rules %s", async (repeat_rules, expected) => {
      const post = await write({ ...start, repeat_rules });
      expect(days(post)).toEqual(expected);
      expect(post.event.recurrence).toBeNull();
      const again = await write({ ...start, repeat_rules: post.event.rrule! });
      expect(again.event).toMatchObject({ dates: post.event.dates, rrule: post.event.rrule });
    });

    it("end_date ends a recurrence, too", async () => {
      const post = await write({ ...start, recurrence: { freq: "daily" }, end_date: "2026-02-02" });
      expect(days(post)).toEqual(["2026-01-31", "2026-02-01", "2026-02-02"]);
      await change(post.id, { end_date: "2026-02-01" });
      expect((await read(post.id)).dates).toHaveLength(2);
      await change(post.id, { end_date: null });
      expect((await read(post.id)).dates).toHaveLength(730);
    });

    it("a recurrence ends after five years", async () => {
      const { event } = await write({ ...start, recurrence: { freq: "monthly", bymonthday: 1 } });
      expect(event.dates).toHaveLength(61);
      expect(event.dates.at(-1)!.start).toBe(at("2031-01-01T08:00Z"));
    });

    it("recurrence and repeat_rules replace each other; null clears them", async () => {
      const { id, event } = await write({ ...start, recurrence: { freq: "daily", count: 2 } });
      await change(id, { repeat_rules: "FREQ=DAILY;COUNT=3" });
      expect(await read(id)).toMatchObject({ recurrence: null, rrule: "FREQ=DAILY;COUNT=3" });
      await change(id, { recurrence: null });
      expect((await read(id)).rrule).toBe("FREQ=DAILY;COUNT=3");
      await change(id, { recurrence: event.recurrence });
      expect(await read(id)).toEqual(event);
      await change(id, { recurrence: null });
      expect(await read(id)).toMatchObject({ recurrence: null, rrule: null, dates: [event.dates[0]] });
    });
  });

  describe("update", () => {
    it("changes the given fields", async () => {
      const { id, event } = await write({
        datetime_start: "2026-06-01T09:00",
        location: "Here",
        link: "https://a.example/",
      });
      await change(id, { location: null });
      expect(await read(id)).toEqual({ ...event, location: null });
      await change(id, plain(event));
      expect(await read(id)).toEqual(event);
    });

    it("another time zone keeps the local time", async () => {
      const { id } = await write({ datetime_start: "2026-06-01T09:00" });
      await change(id, { timezone: "America/New_York" });
      expect(await read(id)).toMatchObject({
        datetime_start: "2026-06-01T09:00:00-04:00",
        dates: [{ start: at("2026-06-01T13:00Z") }],
      });
    });

    it("all_day and back keeps the days", async () => {
      const { id } = await write({ datetime_start: "2026-06-01T09:00", datetime_end: "2026-06-02T10:00" });
      await change(id, { all_day: true });
      expect(await read(id)).toMatchObject({ datetime_start: "2026-06-01", datetime_end: "2026-06-02" });
      await change(id, { all_day: false });
      expect(await read(id)).toMatchObject({ datetime_start: "2026-06-01T00:00:00+02:00" });
    });

    it.each([
      ["an event", { datetime_start: "2026-06-01T09:00" }, "T10:00", "T10:00:00+02:00"],
      ["an all-day event", { datetime_start: "2026-06-01", all_day: true }, "", ""],
    ])("the end of %s without a duration moves with its start", async (_, event, time, shown) => {
      const { id } = await write(event);
      for (const day of ["2026-06-20", "2026-05-01"]) {
        await change(id, { datetime_start: `${day}${time}` });
        const moved = `${day}${shown}`;
        expect(await read(id)).toMatchObject({ datetime_start: moved, datetime_end: moved, dates: [{}] });
      }
    });

    it("replaces a recurrence as a whole", async () => {
      const { id } = await write({ datetime_start: "2026-06-01T09:00", recurrence: { freq: "daily", count: 3 } });
      await change(id, { recurrence: { freq: "daily", interval: 2, until: "2026-06-03" } });
      expect(await read(id)).toMatchObject({ recurrence: { count: null, interval: 2 }, dates: [{}, {}] });
    });

    it("keeps the event when other fields change", async () => {
      const { actors } = newsroom();
      const { id, event } = await write({ datetime_start: "2026-06-01T09:00" });
      await actors.administrator.call(posts.update, { id, title: "Changed" });
      expect(await read(id)).toEqual(event);
    });
  });

  describe("participation", () => {
    it("is set, changed and cleared for the actor", async () => {
      const { actors, colleague } = newsroom();
      const { id } = await write({ datetime_start: "2026-06-01T09:00", participation: { enabled: true } });
      const answer = (answer: "accepted" | "rejected", actor = actors.member) =>
        actor.call(posts.participate, { id, answer });
      const seen = async (actor = actors.member) => {
        const { event, participation } = await actor.call(posts.get, { id });
        expect(participation).toEqual(event!.participation);
        return [participation!.rsvp, participation!.accepted, participation!.rejected];
      };
      await answer("accepted");
      await answer("accepted");
      await answer("rejected", colleague);
      expect([await seen(), await seen(colleague), await seen(actors.manager)]).toEqual([
        ["accepted", 1, 1],
        ["rejected", 1, 1],
        [null, 1, 1],
      ]);
      await answer("rejected");
      expect(await seen()).toEqual(["rejected", 0, 2]);
      await actors.member.call(posts.unparticipate, { id });
      await actors.member.call(posts.unparticipate, { id });
      expect(await seen()).toEqual([null, 0, 1]);
    });

    it("is cleared for deleted users, whose likes stay", async () => {
      const { actors, instance, addUser } = newsroom();
      const { id } = await write({ datetime_start: "2026-06-01T09:00", participation: { enabled: true } });
      const guests = [await addUser(), await addUser()];
      for (const [at, guest] of guests.entries()) {
        const caller = await instance.as(guest.id);
        await caller.call(posts.participate, { id, answer: at === 0 ? "accepted" : "rejected" });
        await caller.call(posts.like, { id });
      }
      expect((await read(id)).participation).toMatchObject({ accepted: 1, rejected: 1 });
      for (const guest of guests) await actors.administrator.call(users.delete, { id: guest.id });
      const after = await actors.administrator.call(posts.get, { id });
      expect([after.participation, after.stats]).toMatchObject([{ accepted: 0, rejected: 0 }, { likes: 2 }]);
    });

    it("is refused for posts without participation", async () => {
      const { actors } = newsroom();
      const { id, participation } = await write({ datetime_start: "2026-06-01T09:00" });
      expect(participation).toEqual({ enabled: false, rsvp: null, invited: 0, accepted: 0, rejected: 0 });
      expect(await codeOf(actors.member.call(posts.participate, { id, answer: "accepted" }))).toBe("conflict");
      await change(id, { participation: { enabled: true } });
      expect((await read(id)).participation.invited).toBeGreaterThan(3);
      expect(await codeOf(actors.member.call(posts.participate, { id, answer: "accepted" }))).toBe("ok");
    });
  });

  describe("bad input", () => {
    const daily = { freq: "daily" };
    it.each([
      ["30 February", { datetime_start: "2026-02-30T10:00" }, "event.datetime_start"],
      ["hour 24", { datetime_start: "2026-02-03T24:00" }, "event.datetime_start"],
      ["words", { datetime_start: "tomorrow" }, "event.datetime_start"],
      ["a number", { datetime_start: 1_780_000_000 }, "event.datetime_start"],
      ["before 1970", { datetime_start: "1969-06-01T10:00", datetime_end: "2026-06-01T10:00" }, "event.datetime_start"],
      ["an end before the start", { datetime_end: "2026-06-01T08:59" }, "event.datetime_end"],
      [
        "a start after the end",
        { datetime_start: "2026-06-01T10:01", datetime_end: undefined },
        "event.datetime_start",
      ],
      ["a script as link", { link: "javascript:alert(1)" }, "event.link"],
      ["a link without a scheme", { link: "example.com" }, "event.link"],
      ["an unknown time zone", { timezone: "Europe/Nowhere" }, "event.timezone"],
      ["an offset as time zone", { timezone: "+02:00" }, "event.timezone"],
      ["an unknown frequency", { recurrence: { freq: "hourly" } }, "event.recurrence.freq"],
      ["until and count", { recurrence: { ...daily, count: 2, until: "2026-07-01" } }, "event.recurrence.until"],
      ["until before the start", { recurrence: { ...daily, until: "2026-05-31" } }, "event.recurrence.until"],
      ["until that is no day", { recurrence: { ...daily, until: "2026-06-31" } }, "event.recurrence.until"],
      ["count 0", { recurrence: { ...daily, count: 0 } }, "event.recurrence.count"],
      ["interval 0", { recurrence: { ...daily, interval: 0 } }, "event.recurrence.interval"],
      ["day 32", { recurrence: { ...daily, bymonthday: 32 } }, "event.recurrence.bymonthday"],
      ["month 13", { recurrence: { ...daily, bymonth: 13 } }, "event.recurrence.bymonth"],
      ["position 0", { recurrence: { ...daily, bymonth: 1, bysetpos: 0 } }, "event.recurrence.bysetpos"],
      ["a position of nothing", { recurrence: { ...daily, bysetpos: 1 } }, "event.recurrence.bysetpos"],
      ["a day of the month weekly", { recurrence: { freq: "weekly", bymonthday: 3 } }, "event.recurrence.bymonthday"],
      ["30 February each year", { recurrence: { freq: "yearly", bymonth: 2, bymonthday: 30 } }, "event.recurrence"],
      ["no rule", { repeat_rules: "every day" }, "event.repeat_rules"],
      ["a rule without FREQ", { repeat_rules: "BYDAY=MO" }, "event.repeat_rules"],
      ["BYDAY=8", { repeat_rules: "FREQ=WEEKLY;BYDAY=8" }, "event.repeat_rules"],
      ["a rule by hours", { repeat_rules: "FREQ=HOURLY" }, "event.repeat_rules"],
      ["a rule twice", { repeat_rules: "FREQ=DAILY;FREQ=DAILY" }, "event.repeat_rules"],
      ["a rule with UNTIL and COUNT", { repeat_rules: "FREQ=DAILY;COUNT=2;UNTIL=20260701" }, "event.repeat_rules"],
      ["a rule until 30 February", { repeat_rules: "FREQ=DAILY;UNTIL=20270230" }, "event.repeat_rules"],
      ["a rule that is over before the start", { repeat_rules: "FREQ=DAILY;UNTIL=20260501" }, "event.repeat_rules"],
      ["a rule that RFC 5545 forbids", { repeat_rules: "FREQ=WEEKLY;BYMONTHDAY=3" }, "event.repeat_rules"],
      ["a rule that never happens", { repeat_rules: "FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=31" }, "event.repeat_rules"],
      ["both ways", { recurrence: daily, repeat_rules: "FREQ=DAILY" }, "event.repeat_rules"],
      ["an end_date before the start", { end_date: "2026-05-31" }, "event.end_date"],
      ["an end_date that is no day", { end_date: "2026-06-31" }, "event.end_date"],
    ])("%s", async (_, fields, wrong) => {
      const good = { datetime_start: "2026-06-01T09:00", datetime_end: "2026-06-01T10:00" };
      const { id, event } = await write(good);
      const { datetime_start, datetime_end } = { ...good, ...fields };
      // A new event ends when it starts unless it says otherwise, so that one thing is wrong in update only.
      if (datetime_end !== undefined || datetime_start === undefined) {
        expect(await wrongFields(write({ ...good, ...fields } as never))).toEqual([wrong]);
      }
      expect(await wrongFields(change(id, JSON.parse(JSON.stringify(fields))))).toEqual([wrong]);
      expect(await read(id)).toEqual(event);
    });
  });

  /** Returns the presented event as input. */
  function plain({ location, link, datetime_start, datetime_end, timezone, all_day, end_date, recurrence }: Shown) {
    return { location, link, datetime_start, datetime_end, timezone, all_day, end_date, recurrence };
  }
});
