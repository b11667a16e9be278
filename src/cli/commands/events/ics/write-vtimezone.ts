import { weekdays } from "../../../../contract/event-schemas.ts";
import { dayLength } from "../../../time/zone-clock.ts";
import type { Component, Property } from "./jcal.ts";

interface Change {
  /** Local time of the change by the old offset, as YYYY-MM-DDTHH:MM:SS. */
  readonly local: string;
  /** Offset from UTC before the change, for example +01:00. */
  readonly from: string;
  /** Offset from UTC after the change. */
  readonly to: string;
  readonly isSummer: boolean;
}

interface Run {
  readonly changes: Change[];
  /** Rules that all changes match, for example `-1SU` for the last Sunday of the month. */
  days: string[];
}

const begin = "1970-01-01T00:00:00";
/** Years from now for which changes are computed; changes that follow no rule are listed one by one. */
const horizon = 12;

/** Returns a VTIMEZONE (RFC 5545, 3.6.5) for a zone of the IANA database, with all changes since 1970. */
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

/** Returns an RRULE for a run that goes on, and a component per change for others: not all programs support rules that end. */
function observances({ changes, days }: Run, last: number): Component[] {
  // A run of at least three changes that lasts until the last computed year is assumed to go on.
  const [first] = changes;
  const goesOn = first && changes.length >= 3 && changes.at(-1)?.local.startsWith(`${last}-`);
  return goesOn ? [observance(first, days[0])] : changes.map((change) => observance(change));
}

function runsOf(changes: readonly Change[]): Run[] {
  const runs: Run[] = [];
  const open = new Map<string, Run>();
  for (const change of changes) {
    const date = new Date(`${change.local}Z`);
    const key = [date.getUTCMonth(), date.getUTCDay(), change.local.slice(10), change.from, change.to].join();
    const run = open.get(key);
    const days = run?.days.filter((day) => daysOf(date).includes(day)) ?? [];
    const year = run && Number(run.changes.at(-1)?.local.slice(0, 4));
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

/** Returns the BYDAY values of a date: the weekday counted from the start of the month and, if it is the last, `-1`. */
function daysOf(date: Date): string[] {
  const name = weekdays[(date.getUTCDay() + 6) % 7];
  const number = date.getUTCDate();
  const isLast = new Date(date.getTime() + 7 * dayLength).getUTCMonth() !== date.getUTCMonth();
  return [...(isLast ? [`-1${name}`] : []), ...(number <= 28 ? [`${Math.ceil(number / 7)}${name}`] : [])];
}

/** Returns a component for one change, or for a yearly change on that day of its month. */
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
