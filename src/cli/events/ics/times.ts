import { addDays, daysBetween } from "../calendar/days.ts";
import type { Properties, ReadProperty } from "./properties.ts";
import type { Surroundings } from "./reading.ts";
import type { Zone } from "./zones.ts";

/** When an event takes place first. */
export interface Times {
  /** Of the whole day, as YYYY-MM-DD; start and end are null then. */
  readonly date: string | null;
  readonly start: number | null;
  readonly end: number | null;
  /** The clocks by which the file tells its times; null for whole days. */
  readonly zone: Zone | null;
}

/** The times of a VEVENT, or why it has none. Several whole days become the time from midnight to midnight. */
export function timesOf(found: Properties, surroundings: Surroundings): Times | string {
  const [dtstart, dtend, length] = [found.first("dtstart"), found.first("dtend"), durationOf(found)];
  if (!dtstart) return "has no start (DTSTART)";
  if (length === undefined) return "has a DURATION that cannot be read";
  const start = pointOf(dtstart, "DTSTART", surroundings);
  if (typeof start === "string") return start;
  const end = dtend && pointOf(dtend, "DTEND", surroundings);
  if (typeof end === "string") return end;
  if (start.zone === null)
    return wholeDays(start.wall, end ? end.wall : start.wall + length.days * dayLength, surroundings);
  const wallEnd = start.wall + length.days * dayLength;
  const from = start.zone.instant(start.wall);
  const to = end ? (end.zone ?? start.zone).instant(end.wall) : start.zone.instant(wallEnd) + length.seconds;
  return { date: null, start: from, end: to, zone: start.zone };
}

const dayLength = 86_400_000;
const dayAt = (wall: number) => new Date(wall).toISOString().slice(0, 10);

function wholeDays(first: number, end: number, { clock }: Surroundings): Times {
  const date = dayAt(first);
  if (daysBetween(date, dayAt(end)) <= 1) return { date, start: null, end: null, zone: null };
  return { date: null, start: clock.instant(first), end: clock.instant(end), zone: clock };
}

interface Point {
  /** What the clocks show, in milliseconds as if it were UTC. */
  readonly wall: number;
  /** Null for a day. */
  readonly zone: Zone | null;
}

function pointOf({ value, parameters }: ReadProperty, name: string, { zones }: Surroundings): Point | string {
  const text = String(value);
  // `T::` is what the library makes of a day that does not say that it is one.
  const [, day, time, isUtc] = /^(\d{4}-\d\d-\d\d)(?:T::|T(\d\d:\d\d:\d\d)(Z)?)?$/.exec(text) ?? [];
  const wall = Date.parse(`${day}T${time ?? "00:00:00"}Z`);
  if (day === undefined || Number.isNaN(wall) || addDays(day, 0) !== day)
    return `has a ${name} that is no time: ${text}`;
  if (time === undefined) return { wall, zone: null };
  if (isUtc) return { wall, zone: zones.named("UTC")! };
  const { tzid } = parameters;
  const zone = tzid === undefined ? zones.floating : zones.named(tzid);
  return zone ? { wall, zone } : `has a ${name} in the time zone ${tzid}, which the file does not explain`;
}

/** Days by the calendar and, beyond them, seconds; none for no DURATION, undefined for one that is wrong. */
function durationOf(found: Properties): { days: number; seconds: number } | undefined {
  const property = found.first("duration");
  if (!property) return { days: 0, seconds: 0 };
  const parts = duration.exec(String(property.value));
  if (!parts) return undefined;
  const [weeks, days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0)) as Parts;
  return { days: weeks * 7 + days, seconds: hours * 3600 + minutes * 60 + seconds };
}

type Parts = [weeks: number, days: number, hours: number, minutes: number, seconds: number];

/** RFC 5545, 3.3.6; none may be negative here. */
const duration = /^\+?P(?=.)(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i;
