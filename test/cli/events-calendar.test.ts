import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { drawCalendar } from "../../src/cli/commands/events/calendar/draw-calendar.ts";
import type { ShownOccurrence, TimeSpan } from "../../src/cli/commands/events/calendar/find-occurrences.ts";
import type { Paint } from "../../src/cli/terminal/colors.ts";
import { noPaint, type Terminal } from "../../src/cli/terminal/terminal.ts";
import { widthOf } from "../../src/cli/terminal/text-width.ts";
import { addDays, daysBetween, lastOfMonth, mondayOf, weekdayOf, weekOf } from "../../src/cli/time/days.ts";
import { tries } from "../support/effort.ts";

const zone = "Europe/Copenhagen";
const december: TimeSpan = { first: "2026-12-01", last: "2026-12-31" };
const week: TimeSpan = { first: "2026-12-21", last: "2026-12-27" };

let next = 1;
const at = (text: string) => Date.parse(`${text}+01:00`) / 1000;
const common = { type: "chain", location: null, link: "", url: "/events/1" } as const;
function timed(title: string, start: string, end = start, location: string | null = null): ShownOccurrence {
  return {
    ...common,
    id: next++,
    title,
    day: start.slice(0, 10),
    all_day: false,
    start: at(start),
    end: at(end),
    location,
  };
}
const whole = (title: string, day: string): ShownOccurrence => {
  return { ...common, id: next++, title, day, all_day: true, start: null, end: null };
};

function draw(
  occurrences: readonly ShownOccurrence[],
  span: TimeSpan,
  { width = 80, height = 24, paint = noPaint } = {},
): string[] {
  const terminal = { width, height, paint } as Terminal;
  return drawCalendar(occurrences, { span, zone, today: "2026-12-24" }, terminal).trimEnd().split("\n");
}

describe("a calendar of a month", () => {
  it.each([105, 106, 112, 113])("is as wide as seven cells allow in %i columns", (width) => {
    const [, headings = "", rule, , lunch] = draw([timed("Lunch", "2026-12-02T12:00:00")], december, { width });
    const cell = Math.floor((width - 8) / 7);
    expect([rule?.length, headings.indexOf("Tue")]).toEqual([cell * 7 + 8, cell + (cell < 14 ? 2 : 3)]);
    expect(lunch?.split("│")[3]?.trimEnd()).toBe(cell < 14 ? "12 Lunch" : " 12:00 Lunch");
  });

  it("draws a grid with the numbers of the weeks", () => {
    expect(draw([timed("Standup", "2026-12-01T09:00:00"), whole("Christmas Eve", "2026-12-24")], december)).toEqual([
      "                                 December 2026",
      " Mon        Tue        Wed        Thu        Fri        Sat        Sun",
      "┌─ 49 ─────┬──────────┬──────────┬──────────┬──────────┬──────────┬──────────┐",
      "│          │ 1        │ 2        │ 3        │ 4        │ 5        │ 6        │",
      "│          │9 Standup │          │          │          │          │          │",
      "├─ 50 ─────┼──────────┼──────────┼──────────┼──────────┼──────────┼──────────┤",
      "│ 7        │ 8        │ 9        │10        │11        │12        │13        │",
      "│          │          │          │          │          │          │          │",
      "├─ 51 ─────┼──────────┼──────────┼──────────┼──────────┼──────────┼──────────┤",
      "│14        │15        │16        │17        │18        │19        │20        │",
      "│          │          │          │          │          │          │          │",
      "├─ 52 ─────┼──────────┼──────────┼──────────┼──────────┼──────────┼──────────┤",
      "│21        │22        │23        │24 today  │25        │26        │27        │",
      "│          │          │          │Christmas…│          │          │          │",
      "├─ 53 ─────┼──────────┼──────────┼──────────┼──────────┼──────────┼──────────┤",
      "│28        │29        │30        │31        │          │          │          │",
      "│          │          │          │          │          │          │          │",
      "└──────────┴──────────┴──────────┴──────────┴──────────┴──────────┴──────────┘",
    ]);
  });

  it("shows times with minutes where there is room", () => {
    const lines = draw([timed("Standup", "2026-12-01T09:00:00")], december, { width: 120 });
    expect(lines.find((line) => line.includes("Standup"))).toContain("│ 09:00 Standup  │");
  });

  it("counts the events for which there is no room", () => {
    const many = Array.from({ length: 7 }, (_, at) => timed(`Meeting ${at}`, `2026-12-10T1${at}:00:00`));
    const small = draw(many, december);
    expect(small.join("\n")).toContain("+5 more");
    expect(small.filter((line) => line.includes("Meet"))).toHaveLength(2);
    const tall = draw(many, december, { height: 80 });
    expect(tall.join("\n")).not.toContain("more");
    expect(tall.filter((line) => line.includes("Meet"))).toHaveLength(7);
  });

  it("shows an event of several days on each of them, and one that ends at midnight not on the next day", () => {
    const voyage = timed("Voyage", "2026-12-08T20:00:00", "2026-12-10T06:00:00");
    const party = timed("Party", "2026-12-15T20:00:00", "2026-12-16T00:00:00");
    const before = timed("Before", "2026-11-28T20:00:00", "2026-12-01T10:00:00");
    const text = draw([before, voyage, party], december, { width: 120 }).join("\n");
    expect(text).toMatch(/│ 20:00 Voyage +│ › Voyage +│ › Voyage +│/);
    expect(text).toMatch(/│ › Before/);
    expect(text.match(/Party/g)).toHaveLength(1);
  });

  it("highlights today, times and whole days", () => {
    const marked = (name: string) => (text: string) => `<${name} ${text}>`;
    const paint = Object.fromEntries(
      ["error", "success", "strong", "dim", "key", "value"].map((name) => [name, marked(name)]),
    ) as unknown as Paint;
    const text = draw([timed("Standup", "2026-12-01T09:00:00"), whole("Eve", "2026-12-24")], december, { paint }).join(
      "\n",
    );
    for (const part of ["<success 24 today>", "<success Eve>", "<key 9> Standup", "<strong 23>"])
      expect(text).toContain(part);
  });
});

describe("a calendar of a week", () => {
  const lunch = timed("Lunch with the whole team", "2026-12-21T12:00:00", "2026-12-21T13:30:00", "Canteen");

  it("shows times, title and place of each event", () => {
    const text = draw([lunch], week, { width: 120 });
    expect(text[0]?.trim()).toBe("Week 52, 21–27 December 2026");
    const cells = text.slice(4, 9).map((line) => line.split("│")[1]?.trim());
    expect(cells).toEqual(["12:00–13:30", "Lunch with the", "whole team", "Canteen", undefined]);
  });

  it("shows only the start where there is no room for the end", () => {
    expect(draw([lunch], week).join("\n")).toMatch(/│12:00 +│/);
  });
});

it("a calendar of other days is titled by the first and the last day", () => {
  const title = (first: string, last: string) => draw([], { first, last })[0]?.trim();
  expect(title("2026-11-25", "2026-12-20")).toBe("25 November – 20 December 2026");
  expect(title("2026-12-20", "2027-01-10")).toBe("20 December 2026 – 10 January 2027");
  expect(title("2026-12-24", "2026-12-24")).toBe("24 December 2026");
  expect(draw([], { first: "2026-11-25", last: "2026-12-20" }).join("\n")).toContain("│ 1 Dec");
});

it("a calendar lists the days below each other on a terminal that is too narrow for a week", () => {
  const some = [whole("Eve", "2026-12-24"), timed("Lunch", "2026-12-24T12:00:00", "2026-12-24T13:00:00", "Canteen")];
  expect(draw(some, december, { width: 50 })).toEqual([
    "December 2026",
    "",
    "Thu 24 December",
    "  all day      Eve",
    "  12:00–13:00  Lunch  Canteen",
  ]);
  expect(draw([], december, { width: 50 })).toEqual(["December 2026", "", "There are no events."]);
});

it("a calendar shows every requested day and its events", () => {
  const spans = fc.tuple(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 80 })).map(([from, length]) => {
    const first = addDays("2026-01-01", from);
    return { first, last: addDays(first, length) };
  });
  fc.assert(
    fc.property(spans, (span) => {
      const days = Array.from({ length: daysBetween(span.first, span.last) + 1 }, (_, at) => addDays(span.first, at));
      const text = draw(
        days.map((day) => whole(`<${day.slice(5)}>`, day)),
        span,
      ).join("\n");
      expect(text.match(/<\d\d-\d\d>/g)?.toSorted()).toEqual(days.map((day) => `<${day.slice(5)}>`).toSorted());
    }),
  );
});

describe("a calendar with any text and width", () => {
  const title = fc.oneof(
    fc.string({ unit: fc.constantFrom(..."ab 会👩‍👩‍👧é\u0301\u001b\n\t|│"), maxLength: 30 }),
    fc.string({ unit: "binary", maxLength: 30 }),
  );
  const occurrence = fc
    .tuple(title, fc.integer({ min: 1, max: 31 }), fc.option(fc.nat(1439)), fc.nat(300_000))
    .map(([name, date, minute, length]) => {
      const day = `2026-12-${String(date).padStart(2, "0")}`;
      if (minute === null) return whole(name, day);
      const start = at(`${day}T00:00:00`) + minute * 60;
      return { ...timed(name, `${day}T00:00:00`), start, end: start + length };
    });

  it("makes every line as wide as the grid", () => {
    fc.assert(
      fc.property(
        fc.array(occurrence, { maxLength: 20 }),
        fc.integer({ min: 64, max: 300 }),
        fc.constantFrom(december, week),
        (occurrences, width, span) => {
          const [, , ...grid] = draw(occurrences, span, { width });
          const wide = new Set(grid.map(widthOf));
          expect(wide.size).toBe(1);
          expect([...wide][0]).toBeLessThanOrEqual(width);
          expect(grid.join("")).not.toMatch(/\p{Cc}/u);
        },
      ),
      { numRuns: tries(200) },
    );
  });
});

it("days, weeks and months agree with Temporal", () => {
  const anyDay = fc
    .date({ min: new Date("1990-01-01"), max: new Date("2100-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  fc.assert(
    fc.property(anyDay, fc.integer({ min: -1000, max: 1000 }), (day, count) => {
      const date = Temporal.PlainDate.from(day);
      expect(addDays(day, count)).toBe(date.add({ days: count }).toString());
      expect(daysBetween(day, addDays(day, count))).toBe(count);
      expect(weekdayOf(day)).toBe(date.dayOfWeek - 1);
      expect(weekOf(day)).toBe(date.weekOfYear);
      expect(mondayOf(day)).toBe(date.subtract({ days: date.dayOfWeek - 1 }).toString());
      expect(lastOfMonth(day)).toBe(date.with({ day: date.daysInMonth }).toString());
    }),
  );
});
