import ICAL from "ical.js";
import type { Rule } from "../../src/contract/event-schemas.ts";

const dayOfSeconds = 86_400;
const dayOfMilliseconds = 86_400_000;
const weekdays = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"] as const;

export type PlainRule = Pick<Rule, "freq" | "interval" | "byday" | "bymonthday" | "bymonth" | "bysetpos">;

/**
 * The days that a rule names from `first` on for five years, by looking at every day: whether its period is one of every
 * `interval`, whether it is as each part says, and which of those in its period it is.
 */
export function plainDays(first: string, rule: PlainRule): string[] {
  const start = Date.parse(first);
  const anchor = new Date(start);
  const end = new Date(start);
  end.setUTCFullYear(end.getUTCFullYear() + 5);
  // From 29 February the fifth year has no such day.
  if (end.getUTCDate() !== anchor.getUTCDate()) end.setUTCDate(0);
  const periods = new Map<number, number[]>();
  const from = Date.UTC(anchor.getUTCFullYear(), 0, 1) - 7 * dayOfMilliseconds;
  const to = Date.UTC(end.getUTCFullYear(), 11, 31) + 7 * dayOfMilliseconds;
  for (let time = from; time <= to; time += dayOfMilliseconds) {
    const period = periodOf(rule.freq, time) - periodOf(rule.freq, start);
    if (period < 0 || period % rule.interval !== 0 || !isNamed(rule, new Date(time), anchor)) continue;
    periods.set(period, [...(periods.get(period) ?? []), time]);
  }
  const { bysetpos } = rule;
  const chosen = [...periods.values()].flatMap((times) =>
    bysetpos === null ? times : (times.at(bysetpos > 0 ? bysetpos - 1 : bysetpos) ?? []),
  );
  return chosen
    .filter((time) => time >= start && time <= end.getTime())
    .sort((a, b) => a - b)
    .map((time) => new Date(time).toISOString().slice(0, 10));
}

function periodOf(freq: Rule["freq"], time: number): number {
  const date = new Date(time);
  const days = time / dayOfMilliseconds;
  switch (freq) {
    case "daily":
      return days;
    case "weekly":
      // 1 January 1970 was a Thursday; weeks begin on Monday.
      return Math.floor((days + 3) / 7);
    case "monthly":
      return date.getUTCFullYear() * 12 + date.getUTCMonth();
    case "yearly":
      return date.getUTCFullYear();
  }
}

/** Parts that the rule does not give are those of the first day. */
function isNamed({ freq, byday, bymonthday, bymonth }: PlainRule, date: Date, first: Date): boolean {
  const weekday = weekdays[date.getUTCDay()]!;
  if (bymonth !== null && date.getUTCMonth() + 1 !== bymonth) return false;
  if (bymonthday !== null && date.getUTCDate() !== bymonthday) return false;
  if (byday.length > 0) return byday.includes(weekday);
  if (bymonthday !== null || freq === "daily") return true;
  if (freq === "weekly") return weekday === weekdays[first.getUTCDay()];
  const sameMonth = freq === "monthly" || bymonth !== null || date.getUTCMonth() === first.getUTCMonth();
  return sameMonth && date.getUTCDate() === first.getUTCDate();
}

/** Returns true when ical.js interprets the rule as RFC 5545 does; otherwise only the restatement is used. */
export function isForIcal({ freq, interval, byday, bymonthday, bymonth, bysetpos }: PlainRule): boolean {
  // It takes bysetpos for months only, and forgets the interval of months when one is named.
  if (bysetpos !== null && freq !== "monthly") return false;
  if (freq === "monthly" && bymonth !== null && interval > 1) return false;
  // Without bymonth it looks into the month of the start only.
  return freq !== "yearly" || bymonth !== null || (byday.length === 0 && bymonthday === null);
}

/**
 * The days that ical.js finds from the first one to the last: it takes the first for one of the rule, whether or not it is,
 * and would look for one after the last for ever.
 */
export function icalDays(named: readonly string[], { freq, interval, ...parts }: PlainRule): string[] {
  const [first, last] = [named[0]!, named.at(-1)!];
  const recur = ICAL.Recur.fromData({ freq: freq.toUpperCase() as "DAILY", interval });
  if (parts.byday.length > 0) recur.setComponent("byday", parts.byday);
  for (const part of ["bymonthday", "bymonth", "bysetpos"] as const) {
    const value = parts[part];
    if (value !== null) recur.setComponent(part, [value]);
  }
  recur.until = ICAL.Time.fromDateString(last);
  const days = recur.iterator(ICAL.Time.fromDateString(first));
  const found: string[] = [];
  for (let day = days.next(); day && day.toString() <= last; day = days.next()) found.push(day.toString());
  return found;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The wall clock of a zone as YYYY-MM-DDTHH:MM:SS. */
export function wallClock(time: number, timeZone: string): string {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short", timeStyle: "medium" });
    formats.set(timeZone, format);
  }
  return format.format(time * 1000).replace(" ", "T");
}

const asUtc = (wall: string) => Date.parse(`${wall}Z`) / 1000;

/** When the wall clock of a zone shows this first; of what it leaves out, as if the clock had not been changed yet. */
export function instantOf(wall: string, zone: string): number {
  const utc = asUtc(wall);
  const [before, after] = [utc - dayOfSeconds, utc + dayOfSeconds].map((near) => asUtc(wallClock(near, zone)) - near);
  const shown = [utc - before!, utc - after!].filter((time) => wallClock(time, zone) === wall);
  return shown.length > 0 ? Math.min(...shown) : utc - before!;
}
