import type ICAL from "ical.js";
import { type Clock, clockOf } from "../../clock.ts";
import type { RawComponent } from "./components.ts";

/** The clocks of a time zone that a file names. */
export type Zone = Pick<Clock, "wall" | "instant">;

type Library = typeof ICAL;

/** Lines of all time zones together; nobody needs more, and each change of clocks takes its time for every year. */
const mostLines = 20_000;
/** Parts of rules that name a few days a year: clocks that changed every second would take forever to read. */
const few = /^(FREQ=YEARLY|(INTERVAL|COUNT|UNTIL|WKST|BYMONTH|BYMONTHDAY|BYDAY|BYSETPOS)=.*)$/;

/** Time zones by their TZID: those of the IANA database, and those that the file explains. */
export interface Zones {
  named(tzid: string): Zone | undefined;
  /** Of times that name none. */
  readonly floating: Zone;
}

/** The zones of the components of a file. `own` is that of times that name none, unless a calendar says another. */
export function zonesOf(components: Iterable<RawComponent>, own: string | undefined, library: Library): Zones {
  const explained = new Map<string, Zone>();
  let calendarZone: string | undefined;
  let room = mostLines;
  for (const { name, raw, lines } of components) {
    if (name === "VTIMEZONE") room -= raw.length;
    const zone = name === "VTIMEZONE" && room >= 0 ? explain(raw, library) : undefined;
    if (zone) explained.set(zone.tzid, zoneOf(zone, library));
    if (name !== "VCALENDAR") continue;
    for (const line of lines) calendarZone ??= /^X-WR-TIMEZONE:(.*)$/i.exec(line)?.[1]?.trim();
  }
  const known = new Map<string, Zone | undefined>();
  const iana = (tzid: string) => {
    if (known.has(tzid)) return known.get(tzid);
    const name = ianaName(tzid);
    const zone = name === undefined ? undefined : clockOf(name);
    known.set(tzid, zone);
    return zone;
  };
  return {
    named: (tzid) => iana(tzid) ?? explained.get(tzid),
    floating: (calendarZone === undefined ? undefined : iana(calendarZone)) ?? clockOf(own),
  };
}

/** `Europe/Copenhagen`, also as `/example.org/2026/Europe/Copenhagen`. */
function ianaName(tzid: string): string | undefined {
  const parts = tzid.split("/").filter(Boolean);
  const candidates = tzid.startsWith("/") ? [parts.slice(-3), parts.slice(-2)] : [parts];
  return candidates.map((candidate) => candidate.join("/")).find(isIana);
}

function isIana(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

function explain(raw: readonly string[], library: Library): ICAL.Timezone | undefined {
  const text = raw.join("\r\n").replace(/\r\n[ \t]/g, "");
  if (!text.matchAll(/^RRULE[^:\r\n]*:(.*)$/gim).every(([, rule = ""]) => namesFewDays(rule))) return undefined;
  try {
    const zone = new library.Timezone(new library.Component(library.parse(text)));
    return zone.tzid ? zone : undefined;
  } catch {
    // Then its times cannot be read, which each event says that has them.
    return undefined;
  }
}

function namesFewDays(rule: string): boolean {
  const parts = rule.trim().toUpperCase().split(";").filter(Boolean);
  return parts.includes("FREQ=YEARLY") && parts.every((part) => few.test(part));
}

function zoneOf(zone: ICAL.Timezone, { Time, Timezone }: Library): Zone {
  return {
    instant: (wall) => Time.fromData(fieldsOf(wall), zone).toUnixTime(),
    wall(instant) {
      const time = Time.fromData(fieldsOf(instant * 1000), Timezone.utcTimezone).convertToZone(zone);
      return Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
    },
  };
}

function fieldsOf(wall: number) {
  const date = new Date(wall);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    isDate: false,
  };
}
