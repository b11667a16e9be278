import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { readDay, readPeriodEnd, readTime, readTimeAhead } from "../../src/cli/time/parse-time.ts";
import { clockOf } from "../../src/cli/time/zone-clock.ts";

const zone = "Europe/Copenhagen";
/** A Saturday, half past ten in Copenhagen. */
const now = Date.parse("2026-11-21T09:30:00Z");
const at = (text: string) => Date.parse(text) / 1000;

describe("clockOf", () => {
  const zones = [
    zone,
    "America/New_York",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "Pacific/Apia",
    "Asia/Beirut",
    "America/St_Johns",
    "UTC",
  ];

  it("agrees with Temporal around every clock change", () => {
    for (const name of zones) {
      const clock = clockOf(name);
      let next = Temporal.Instant.from("2005-01-01T00:00Z").toZonedDateTimeISO(name).getTimeZoneTransition("next");
      for (let count = 0; next && count < 45; count++) {
        const shown = clock.wall(next.epochMilliseconds / 1000);
        for (let minutes = -180; minutes <= 180; minutes += 15) {
          const wall = shown + minutes * 60_000;
          const local = Temporal.PlainDateTime.from(new Date(wall).toISOString().slice(0, 19));
          const expected = local.toZonedDateTime(name).epochMilliseconds / 1000;
          expect(clock.instant(wall), `${name} ${local}`).toBe(expected);
        }
        next = next.getTimeZoneTransition("next");
      }
    }
  });

  it("has the wall time of Temporal, and converts it back", () => {
    const instant = fc.integer({ min: at("1970-01-02T00:00Z"), max: at("2050-01-01T00:00Z") });
    fc.assert(
      fc.property(fc.constantFrom(...zones), instant, (name, seconds) => {
        const clock = clockOf(name);
        const local = Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(name);
        const wall = clock.wall(seconds);
        expect(new Date(wall).toISOString().slice(0, 19)).toBe(
          local.toPlainDateTime().toString({ smallestUnit: "second" }),
        );
        expect(clock.day(seconds)).toBe(local.toPlainDate().toString());
        expect(clock.startOf(clock.day(seconds))).toBe(local.startOfDay().epochMilliseconds / 1000);
        expect(clock.wall(clock.instant(wall))).toBe(wall);
      }),
    );
  });

  it("without a zone has the time of the machine's zone", () => {
    const before = process.env.TZ;
    try {
      const instant = fc.integer({ min: at("1901-01-02T00:00Z"), max: at("2050-01-01T00:00Z") });
      for (const name of zones) {
        process.env.TZ = name;
        fc.assert(
          fc.property(instant, (seconds) => {
            expect(clockOf(undefined).wall(seconds), name).toBe(clockOf(name).wall(seconds));
          }),
        );
      }
    } finally {
      process.env.TZ = before;
    }
  });
});

describe("a time in the future", () => {
  const read = (text: string, after?: string) =>
    readTimeAhead(text, "--start", { zone, now, after: after === undefined ? undefined : at(after) });

  it.each([
    ["2026-12-24 18:00", "2026-12-24T17:00Z"],
    ["2026-12-24 18:00:01.5+02:00", "2026-12-24T16:00:01Z"],
    ["tomorrow 14:00", "2026-11-22T13:00Z"],
    ["friday 9am", "2026-11-27T08:00Z"],
    ["8:00", "2026-11-22T07:00Z"],
    ["14:00", "2026-11-21T13:00Z"],
    ["+2h", "2026-11-21T11:30Z"],
    ["1 july 12:00", "2027-07-01T10:00Z"],
    ["monday", "2026-11-22T23:00Z"],
    ["2026-12-24T18:00:00-05:00", "2026-12-24T23:00Z"],
  ])("%s is %s", async (text, expected) => expect(await read(text)).toBe(at(expected)));

  it.each([
    ["+90m", "2026-12-01T22:30Z"],
    ["22:00", "2026-12-01T21:00Z"],
    ["21:59", "2026-12-02T20:59Z"],
    ["23:30", "2026-12-01T22:30Z"],
    ["1:00", "2026-12-02T00:00Z"],
    ["2pm", "2026-12-02T13:00Z"],
    ["+1d", "2026-12-02T21:00Z"],
    ["2026-12-03 10:00", "2026-12-03T09:00Z"],
  ])("%s after 22:00 on 1 December is %s", async (text, expected) =>
    expect(await read(text, "2026-12-01T21:00Z")).toBe(at(expected)),
  );

  it.each([
    "2026-02-30 10:00",
    "2026-02-30T10:00Z",
    "2026-12-24T10:00+25:00",
    "2026-11-22 25:00",
    "soon",
    "02/03/2026 10:00",
    "2.3. 10:00",
  ])("%s is refused", async (text) => await expect(read(text)).rejects.toThrow(`--start must be a time like`));
});

describe("a time in the past", () => {
  it.each([
    ["friday 9:00", "2026-11-20T08:00Z"],
    ["-7d", "2026-11-14T09:30Z"],
    ["yesterday", "2026-11-19T23:00Z"],
    ["2 hours ago", "2026-11-21T07:30Z"],
    ["3 days ago", "2026-11-18T09:30Z"],
  ])("%s is %s", async (text, expected) => expect(await readTime(text, "--since", zone, now)).toBe(at(expected)));
});

describe("the end of a period", () => {
  it.each([
    ["2026-11-21", "2026-11-21T22:59:59Z"],
    ["2026-10-25", "2026-10-25T22:59:59Z"],
    ["yesterday", "2026-11-20T22:59:59Z"],
    ["2026-11-21 00:00", "2026-11-20T23:00Z"],
    ["yesterday 9:00", "2026-11-20T08:00Z"],
    ["-7d", "2026-11-14T09:30Z"],
    ["1795000000", "2026-11-18T11:06:40Z"],
  ])("%s is %s", async (text, expected) =>
    expect(await readPeriodEnd(text, "--until", { zone, now })).toBe(at(expected)),
  );

  it("is in the future when the period is", async () => {
    expect(await readPeriodEnd("friday", "--end", { zone, now, isAhead: true })).toBe(at("2026-11-27T22:59:59Z"));
    expect(await readPeriodEnd("friday", "--until", { zone, now })).toBe(at("2026-11-20T22:59:59Z"));
  });
});

describe("a day", () => {
  it.each([
    ["2026-12-24", "2026-12-24"],
    ["tomorrow", "2026-11-22"],
    ["friday", "2026-11-27"],
    ["24 december", "2026-12-24"],
    ["24.12.2026", "2026-12-24"],
    ["02.02.2027", "2027-02-02"],
    ["12/12/2026", "2026-12-12"],
    ["13.12.2026", "2026-12-13"],
    ["1 january", "2027-01-01"],
  ])("%s is %s", async (text, expected) => expect(await readDay(text, "--date", zone, now)).toBe(expected));

  it("is the day in the zone", async () => {
    const late = Date.parse("2026-11-21T23:30:00Z");
    expect(await readDay("today", "--date", "UTC", late)).toBe("2026-11-21");
    expect(await readDay("today", "--date", zone, late)).toBe("2026-11-22");
  });

  it.each(["2026-02-30", "2026-13-01", "nonsense", "02.03.2026", "12.11.2026", ""])(
    "%s is refused",
    async (text) => await expect(readDay(text, "--date", zone, now)).rejects.toThrow("--date must be a day like"),
  );
});
