import ICAL from "ical.js";
import { isTimeZone } from "../../../../contract/time-zone.ts";
import { type Clock, clockOf } from "../../../time/zone-clock.ts";
import type { RawComponent } from "./ics-components.ts";

/** The clock of a time zone that a file names. */
export type Zone = Pick<Clock, "wall" | "instant">;

/** Maximum number of lines in all time zones together, because evaluating them takes time per line and year. */
const maxLines = 20_000;
/** Rule parts that name only a few days a year; evaluating rules that recur more often is too slow. */
const fewDaysPart = /^(FREQ=YEARLY|(INTERVAL|COUNT|UNTIL|WKST|BYMONTH|BYMONTHDAY|BYDAY|BYSETPOS)=.*)$/;

/** The time zones and the clock with which the events of one file are parsed. */
export interface IcsContext {
  readonly zones: ReturnType<typeof zonesOf>;
  /** Clock of the instance; events recur in its time zone. */
  readonly clock: Zone;
}

/** Collects the time zones of a file. `own` applies to times without a zone, unless the calendar has X-WR-TIMEZONE. */
export function zonesOf(components: Iterable<RawComponent>, own: string | undefined) {
  const definedZones = new Map<string, Zone>();
  let calendarZone: string | undefined;
  let linesLeft = maxLines;
  for (const { name, all, lines } of components) {
    if (name === "VTIMEZONE") linesLeft -= all.length;
    const zone = name === "VTIMEZONE" && linesLeft >= 0 ? parseZone(all) : undefined;
    if (zone) definedZones.set(zone.tzid, zoneOf(zone));
    if (name !== "VCALENDAR") continue;
    for (const line of lines) calendarZone ??= /^X-WR-TIMEZONE:(.*)$/i.exec(line)?.[1]?.trim();
  }
  const iana = (tzid: string): Zone | undefined => {
    const name = ianaName(tzid);
    return name === undefined ? undefined : clockOf(name);
  };
  return {
    /** Time zones by TZID: those of the IANA database and those that the file defines. */
    named: (tzid: string) => iana(tzid) ?? definedZones.get(tzid),
    /** Time zone of times without TZID. */
    floating: (calendarZone === undefined ? undefined : iana(calendarZone)) ?? clockOf(own),
  };
}

/** Returns the IANA name in a TZID like `Europe/Copenhagen` or `/example.org/2026/Europe/Copenhagen`. */
function ianaName(tzid: string): string | undefined {
  const parts = tzid.split("/").filter(Boolean);
  const candidates = tzid.startsWith("/") ? [parts.slice(-3), parts.slice(-2)] : [parts];
  return candidates.map((candidate) => candidate.join("/")).find(isTimeZone);
}

function parseZone(lines: readonly string[]): ICAL.Timezone | undefined {
  const rules = lines.flatMap((line) => /^RRULE[^:]*:(.*)$/is.exec(line)?.[1] ?? []);
  if (!rules.every(namesFewDays)) return undefined;
  try {
    const zone = new ICAL.Timezone(new ICAL.Component(ICAL.parse(lines.join("\r\n"))));
    return zone.tzid ? zone : undefined;
  } catch {
    // The zone stays undefined, and each event that uses it reports that.
    return undefined;
  }
}

function namesFewDays(rule: string): boolean {
  const parts = rule.trim().toUpperCase().split(";").filter(Boolean);
  return parts.includes("FREQ=YEARLY") && parts.every((part) => fewDaysPart.test(part));
}

function zoneOf(zone: ICAL.Timezone): Zone {
  const inUtc = (milliseconds: number) => ICAL.Time.fromJSDate(new Date(milliseconds), true);
  return {
    instant(wall) {
      const time = inUtc(wall);
      time.zone = zone;
      return time.toUnixTime();
    },
    wall(instant) {
      const time = inUtc(instant * 1000).convertToZone(zone);
      return Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
    },
  };
}
