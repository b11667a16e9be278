import type { Component, Property } from "./jcal.ts";

/** A change of the clocks. */
interface Change {
  /** What the clocks showed, as YYYY-MM-DDTHH:MM:SS. */
  readonly local: string;
  /** Offsets from UTC before and after it, as +01:00. */
  readonly from: string;
  readonly to: string;
  readonly isSummer: boolean;
}

/** Changes that come once a year by the same rule. */
interface Run {
  readonly changes: Change[];
  /** What they all are of their month: `-1SU`, the last Sunday, and the like. */
  days: string[];
}

const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const dayLength = 86_400_000;
const begin = "1970-01-01T00:00:00";
/** Years from now for which changes that follow no rule are named. */
const horizon = 12;

/** A zone of the IANA database with all its changes of clocks since 1970 (RFC 5545, 3.6.5). */
export async function vtimezone(zone: string, now: number): Promise<Component> {
  const { Temporal } = await import("temporal-polyfill");
  const last = new Date(now * 1000).getUTCFullYear() + horizon;
  let at = Temporal.Instant.from(`${begin}Z`).toZonedDateTimeISO(zone);
  const first = at.offset;
  const changes: Change[] = [];
  for (;;) {
    const next = at.getTimeZoneTransition("next");
    if (next === null || next.year > last) break;
    const before = next.subtract({ nanoseconds: 1 });
    changes.push({
      local: next.toInstant().toZonedDateTimeISO(before.offset).toPlainDateTime().toString({ smallestUnit: "second" }),
      from: before.offset,
      to: next.offset,
      isSummer: next.offsetNanoseconds > before.offsetNanoseconds,
    });
    at = next;
  }
  const standard = observance({ local: begin, from: first, to: first, isSummer: false });
  const runs = runsOf(changes).flatMap((run) => observances(run, last));
  return ["vtimezone", [["tzid", {}, "text", zone]], [standard, ...runs]];
}

/**
 * Changes that go on by a rule are that rule, all others stand alone: what reads calendars knows both, but not everywhere
 * rules that end, or lists of dates.
 */
function observances({ changes, days }: Run, last: number): Component[] {
  // What has come three times, the last time at the end of what was looked at, is taken to go on.
  const goesOn = changes.length >= 3 && changes.at(-1)!.local.startsWith(`${last}-`);
  return goesOn ? [observance(changes[0]!, days[0])] : changes.map((change) => observance(change));
}

/** Changes gathered into runs, each in the order of time. */
function runsOf(changes: readonly Change[]): Run[] {
  const runs: Run[] = [];
  const open = new Map<string, Run>();
  for (const change of changes) {
    const date = new Date(`${change.local}Z`);
    const key = [date.getUTCMonth(), date.getUTCDay(), change.local.slice(10), change.from, change.to].join();
    const run = open.get(key);
    const days = run?.days.filter((day) => daysOf(date).includes(day)) ?? [];
    const year = run && Number(run.changes.at(-1)!.local.slice(0, 4));
    if (run && year === date.getUTCFullYear() - 1 && days.length > 0) {
      run.changes.push(change);
      run.days = days;
    } else {
      const fresh = { changes: [change], days: daysOf(date) };
      runs.push(fresh);
      open.set(key, fresh);
    }
  }
  return runs;
}

/** What the day is of its month: counted from its beginning, and, if it is the last such day, from its end. */
function daysOf(date: Date): string[] {
  const name = weekdays[(date.getUTCDay() + 6) % 7];
  const number = date.getUTCDate();
  const isLast = new Date(date.getTime() + 7 * dayLength).getUTCMonth() !== date.getUTCMonth();
  return [...(isLast ? [`-1${name}`] : []), ...(number <= 28 ? [`${Math.ceil(number / 7)}${name}`] : [])];
}

/** A change of the clocks, once, or every year on that day of its month. */
function observance({ local, from, to, isSummer }: Change, day?: string): Component {
  const properties: Property[] = [
    ["dtstart", {}, "date-time", local],
    ["tzoffsetfrom", {}, "utc-offset", from],
    ["tzoffsetto", {}, "utc-offset", to],
  ];
  if (day !== undefined) {
    properties.push(["rrule", {}, "recur", { freq: "YEARLY", bymonth: [Number(local.slice(5, 7))], byday: [day] }]);
  }
  return [isSummer ? "daylight" : "standard", properties, []];
}
