import { addDays, daysBetween } from "../../../time/days.ts";
import { dayLength, dayOf } from "../../../time/zone-clock.ts";
import type { Properties, ReadProperty } from "./ics-properties.ts";
import type { IcsContext, Zone } from "./ics-zones.ts";

export interface IcsTimes {
  /** YYYY-MM-DD for a whole-day event, whose start and end are null. */
  readonly date: string | null;
  readonly start: number | null;
  readonly end: number | null;
  /** Time zone of the times in the file; null for whole days. */
  readonly zone: Zone | null;
  /** True for several whole days in the file, which are a time from midnight to midnight. */
  readonly areDays?: true;
}

/** Returns the times, or the reason why there are none. Several whole days become a time from midnight to midnight. */
export function icsTimesOf(found: Properties, context: IcsContext): IcsTimes | string {
  const [dtstart, dtend, length] = [found.first("dtstart"), found.first("dtend"), durationOf(found)];
  if (!dtstart) return "has no start (DTSTART)";
  if (typeof length === "string") return length;
  const start = pointOf(dtstart, "DTSTART", context);
  if (typeof start === "string") return start;
  const end = dtend && pointOf(dtend, "DTEND", context);
  if (typeof end === "string") return end;
  if (start.zone === null) return wholeDays(start.wall, end ? end.wall : start.wall + length.days * dayLength, context);
  const wallEnd = start.wall + length.days * dayLength;
  const from = start.zone.instant(start.wall);
  const to = end ? (end.zone ?? start.zone).instant(end.wall) : start.zone.instant(wallEnd) + length.seconds;
  return { date: null, start: from, end: to, zone: start.zone };
}

function wholeDays(first: number, end: number, { zones: { floating } }: IcsContext): IcsTimes {
  const date = dayOf(first);
  if (daysBetween(date, dayOf(end)) <= 1) return { date, start: null, end: null, zone: null };
  return { date: null, start: floating.instant(first), end: floating.instant(end), zone: floating, areDays: true };
}

/** Returns the local time in milliseconds, as if it were UTC, and its zone: null for a date without a time. */
function pointOf({ value, parameters }: ReadProperty, name: string, { zones }: IcsContext) {
  const text = String(value);
  // The library returns `T::` for a date without VALUE=DATE.
  const [, day, time, isUtc] = /^(\d{4}-\d\d-\d\d)(?:T::|T(\d\d:\d\d:\d\d)(Z)?)?$/.exec(text) ?? [];
  const wall = Date.parse(`${day}T${time ?? "00:00:00"}Z`);
  if (day === undefined || Number.isNaN(wall) || addDays(day, 0) !== day)
    return `has a ${name} that is not a time: ${text}`;
  if (time === undefined) return { wall, zone: null };
  const tzid = isUtc ? "UTC" : parameters.tzid;
  const zone = tzid === undefined ? zones.floating : zones.named(tzid);
  return zone ? { wall, zone } : `has a ${name} in the time zone ${tzid}, which the file does not define`;
}

/** Parses DURATION into calendar days and seconds: zero when there is none. Returns the reason when it is not taken. */
function durationOf(found: Properties): { days: number; seconds: number } | string {
  const property = found.first("duration");
  if (!property) return { days: 0, seconds: 0 };
  const parts = duration.exec(String(property.value));
  if (!parts) return "has a DURATION that cannot be parsed";
  const [weeks, days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0)) as Parts;
  const length = { days: weeks * 7 + days, seconds: hours * 3600 + minutes * 60 + seconds };
  return length.days + length.seconds / 86_400 > maxDays ? "has a DURATION of more than a century" : length;
}

/** Maximum length of an event: a century. The end of a longer one may be no date. */
const maxDays = 36_525;

type Parts = [weeks: number, days: number, hours: number, minutes: number, seconds: number];

/** DURATION as in RFC 5545, 3.3.6, except negative ones. */
const duration = /^\+?P(?=.)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i;

/** Returns the last day on which a rule can occur, given UNTIL as a date or a time; undefined when it is invalid. */
export function lastDay(until: string, { zone, start }: Pick<IcsTimes, "zone" | "start">, clock: Zone) {
  const [, year, month, day, time, isUtc] = /^(\d{4})(\d\d)(\d\d)(?:T(\d{6})(Z)?)?$/.exec(until) ?? [];
  const date = `${year}-${month}-${day}`;
  if (day === undefined || Number.isNaN(Date.parse(date)) || addDays(date, 0) !== date) return undefined;
  if (time === undefined) return date;
  const wall = Date.parse(`${date}T${time.replace(/(..)(..)(..)/, "$1:$2:$3")}Z`);
  if (Number.isNaN(wall)) return undefined;
  if (start === null || zone === null) return isUtc ? dayOf(clock.wall(wall / 1000)) : date;
  const shown = clock.wall(isUtc ? wall / 1000 : zone.instant(wall));
  const isOver = shown % dayLength < clock.wall(start) % dayLength;
  return isOver ? addDays(dayOf(shown), -1) : dayOf(shown);
}
