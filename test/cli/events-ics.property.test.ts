import fc from "fast-check";
import ICAL from "ical.js";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { componentsOf } from "../../src/cli/commands/events/ics/ics-components.ts";
import { zonesOf } from "../../src/cli/commands/events/ics/ics-zones.ts";
import { formatComponent, plainText, textOnOneLine } from "../../src/cli/commands/events/ics/jcal.ts";
import { type ReadEvent, readEvent } from "../../src/cli/commands/events/ics/read-ics.ts";
import { changesTo, contentOf } from "../../src/cli/commands/events/ics/save-event.ts";
import { isLocal, vevent } from "../../src/cli/commands/events/ics/write-vevent.ts";
import { vtimezone } from "../../src/cli/commands/events/ics/write-vtimezone.ts";
import type { ListedEvent } from "../../src/cli/commands/events/walk-events.ts";
import { clockOf } from "../../src/cli/time/zone-clock.ts";
import { isLine } from "../../src/contract/common-schemas.ts";
import { tries } from "../support/effort.ts";
import { rule } from "./rules.ts";

const zones = ["Europe/Copenhagen", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Asia/Jerusalem", "UTC"];
const at = (text: string) => Date.parse(text) / 1000;

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."\\;,:\"\n\r\t nN^' æ😀会\u0007"), maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.constantFrom("", "x".repeat(500), "会".repeat(90), "END:VEVENT\nBEGIN:VEVENT", "a\\nb"),
);
const times = fc.oneof(
  fc
    .date({ min: new Date("1975-01-01"), max: new Date("2060-01-01"), noInvalidDate: true })
    .map((date) => ({ date: date.toISOString().slice(0, 10), all_day: true, dates: [] })),
  fc
    .tuple(
      fc.oneof(
        fc.integer({ min: at("1960-01-01T00:00Z"), max: at("2035-01-01T00:00Z") }),
        // Hours that clocks show twice.
        fc.constantFrom("2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-11-01T05:30Z", "2026-11-01T06:30Z").map(at),
      ),
      fc.oneof(fc.nat(400_000), fc.constantFrom(1800, 3600)),
    )
    .map(([start, length]) => ({ date: null, all_day: false, dates: [{ start, end: start + length }] })),
);

/** Without what a title has no place for. */
const line = text.map((value) => value.replace(/[\r\n\t]/g, " "));

/** Nor does the service keep spaces around it. */
const titleText = line
  .map((value) => value.trim())
  .filter((value) => plainText(value) !== "" && plainText(value) === plainText(value).trim());

/** An event as the service shows it, as far as it is written. */
const event = fc
  .record({
    title: titleText,
    body: text,
    location: fc.option(line, { nil: null }),
    link: fc.constantFrom("", "https://example.com/a;b,c?d=e&f=%20#g"),
    uid: fc.oneof(
      fc.uuid(),
      fc.string({ minLength: 1, maxLength: 80 }).filter((value) => value.trim() === value && isLine(value)),
    ),
    timezone: fc.constantFrom(...zones),
    recurrence: fc.array(rule, { maxLength: 2 }),
    times,
  })
  .map(({ times, recurrence, ...rest }) => {
    // Before 1970 times are in UTC, where a rule could name other days.
    const { start = 86_400 } = times.dates[0] ?? {};
    // Nor can a local time name the second occurrence of an hour.
    const isSecond = clockOf(rest.timezone).instant(clockOf(rest.timezone).wall(start)) !== start;
    const rules = start < 86_400 || isSecond ? [] : recurrence;
    const at2026 = { type: "chain", created_at: at("2026-01-01T00:00Z"), updated_at: at("2026-11-21T09:30Z") };
    return { ...rest, ...times, ...at2026, recurrence: rules } as unknown as ListedEvent;
  });

/** Reads an exported event again, where the instance has the event's own time zone. */
async function readBack(written: ListedEvent): Promise<ReadEvent> {
  const zone = isLocal(written)
    ? await formatComponent(await vtimezone(written.timezone, at("2026-11-21T00:00Z")))
    : "";
  const file = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${zone}${await formatComponent(vevent(written))}END:VCALENDAR\r\n`;
  for (const line of file.split("\r\n")) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
    expect(line).not.toMatch(/[\r\n]/);
  }
  // The other library reads it as one calendar, too.
  const calendar = new ICAL.Component(ICAL.parse(file));
  expect(calendar.getAllSubcomponents("vevent")).toHaveLength(1);
  const components = [...componentsOf(file)];
  const context = { zones: zonesOf(components, "Pacific/Auckland"), clock: clockOf(written.timezone) };
  return readEvent(components.find(({ name }) => name === "VEVENT")!, context) as ReadEvent;
}

it("plainText keeps line breaks and tabs, and no other control characters", () => {
  expect(plainText("a\r\nb\rc\nd\te\u0000\u001b\u007f")).toBe("a\nb\nc\nd\te");
});

it("events import joins the lines of titles and places", () => {
  expect(textOnOneLine("One Infinite Loop\r\nCupertino\n  CA\n", ", ")).toBe("One Infinite Loop, Cupertino, CA");
  expect(textOnOneLine("\tAll\thands \n now", " ")).toBe("All hands now");
});

describe("an exported event", () => {
  it("is the same when it is imported again", async () => {
    await fc.assert(
      fc.asyncProperty(event, async (written) => {
        const read = await readBack(written);
        expect(read.notImported).toEqual({});
        expect(read.uid).toBe(written.uid);
        expect(contentOf(read)).toEqual({
          title: plainText(written.title),
          body: plainText(written.body),
          location: plainText(written.location ?? "") || null,
          link: written.link,
          all_day: written.all_day,
          date: written.date,
          start: written.dates[0]?.start ?? null,
          end: written.dates[0]?.end ?? null,
          recurrence: written.recurrence,
        });
        expect(changesTo(written, read)).toEqual({});
      }),
      { numRuns: tries(300) },
    );
  });

  it("has the same times for another library that uses the time zone of the file", async () => {
    await fc.assert(
      fc.asyncProperty(event, async (written) => {
        if (written.all_day) return;
        const zone = new ICAL.Timezone(
          new ICAL.Component(
            ICAL.parse(await formatComponent(await vtimezone(written.timezone, at("2026-11-21T00:00Z")))),
          ),
        );
        const read = new ICAL.Component(ICAL.parse(await formatComponent(vevent(written))));
        for (const [name, instant] of [
          ["dtstart", written.dates[0]!.start],
          ["dtend", written.dates[0]!.end],
        ] as const) {
          const time = read.getFirstPropertyValue(name) as ICAL.Time | null;
          // A duration replaces a local time that would be ambiguous.
          if (time === null) {
            const { start, end } = written.dates[0]!;
            expect((read.getFirstPropertyValue("duration") as ICAL.Duration).toSeconds()).toBe(end - start);
            continue;
          }
          const isUtc = time.zone === ICAL.Timezone.utcTimezone;
          if (!isUtc) time.zone = zone;
          const clock = clockOf(written.timezone);
          // That library takes the second occurrence of an hour that occurs twice.
          const isTwice =
            clock.wall(instant) === clock.wall(instant + 3600) || clock.instant(clock.wall(instant)) !== instant;
          if (!isTwice && clock.wall(instant) !== clock.wall(instant + 1800)) expect(time.toUnixTime()).toBe(instant);
        }
      }),
      { numRuns: tries(200) },
    );
  });
});

it("an exported time zone has all changes of clocks from 1970 until years after now", async () => {
  for (const name of zones) {
    const zone = new ICAL.Timezone(
      new ICAL.Component(ICAL.parse(await formatComponent(await vtimezone(name, at("2026-11-21T00:00Z"))))),
    );
    const offset = (wall: number) => {
      const time = ICAL.Time.fromDateTimeString(new Date(wall).toISOString().slice(0, 19));
      return zone.utcOffset(time);
    };
    let next = Temporal.Instant.from("1970-01-02T00:00Z").toZonedDateTimeISO(name).getTimeZoneTransition("next");
    for (; next && next.year < 2036; next = next.getTimeZoneTransition("next")) {
      const instant = next.epochMilliseconds / 1000;
      const clock = clockOf(name);
      for (const near of [instant - 10_800, instant + 10_800]) {
        expect(offset(clock.wall(near)), `${name} ${next}`).toBe(clock.wall(near) / 1000 - near);
      }
    }
  }
});

it("events import reads or refuses every event of any file, with a sentence", () => {
  const names =
    "UID SUMMARY DTSTART DTEND DURATION RRULE EXDATE RECURRENCE-ID STATUS CLASS URL BEGIN END X-WCS-TYPE TZID";
  const value = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.string({ unit: "binary", maxLength: 10 }),
    fc.constantFrom(..."20261224 20261224T100000Z 20261224T100000 PT1H -P1D P1W VALARM VEVENT VTIMEZONE".split(" ")),
    fc.constantFrom(
      "FREQ=DAILY",
      "FREQ=MONTHLY;BYDAY=1MO;UNTIL=20271224",
      "FREQ=DAILY;UNTIL=x;COUNT=0",
      "America/New_York",
    ),
  );
  const parameter = fc.constantFrom(
    "",
    ";VALUE=DATE",
    ";TZID=Europe/Copenhagen",
    ';TZID="',
    ";TZID=x",
    ";=",
    ";",
    ";VALUE=PERIOD",
  );
  const line = fc.oneof(
    fc
      .tuple(fc.constantFrom(...names.split(" ")), parameter, value)
      .map(([name, more, text]) => `${name}${more}:${text}`),
    value,
  );
  const file = fc.array(line, { maxLength: 14 }).map((lines) => {
    const good = ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "SUMMARY:x", "DTSTART:20261224T100000Z"];
    return [...good, ...lines, "END:VEVENT", "END:VCALENDAR"].join("\r\n");
  });
  let read = 0;
  fc.assert(
    fc.property(file, (text) => {
      const components = [...componentsOf(text)];
      const zonesIn = zonesOf(components, undefined);
      for (const component of components.filter(({ name }) => name === "VEVENT")) {
        const found = readEvent(component, { zones: zonesIn, clock: clockOf("Europe/Copenhagen") });
        if (typeof found === "string") expect(found).toMatch(/^(has|is|changes) /);
        else {
          read += 1;
          for (const time of [found.start, found.end]) expect(time === null || Number.isInteger(time)).toBe(true);
        }
      }
    }),
    { numRuns: tries(3000) },
  );
  expect(read).toBeGreaterThan(tries(100));
});
