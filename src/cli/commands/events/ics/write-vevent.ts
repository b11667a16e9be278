import type { Rule } from "../../../../contract/event-schemas.ts";
import { addDays } from "../../../time/days.ts";
import { rrulePartsOf } from "../../../time/recurrence/read-rrule.ts";
import { clockOf } from "../../../time/zone-clock.ts";
import type { ListedEvent } from "../walk-events.ts";
import { type Component, formatLocal, formatUtc, type Property, plainText } from "./jcal.ts";

/** Unix seconds; earlier times are written in UTC, because VTIMEZONE describes the zones from 1970 local time on. */
const firstLocal = 86_400;

/** Converts an event with its recurrence rules to a VEVENT (RFC 5545, 3.6.1). */
export function vevent(event: ListedEvent): Component {
  const { uid, title, body, location, link, created_at, updated_at, type, recurrence } = event;
  const text = (name: string, value: string | null): Property[] =>
    value ? [[name, {}, "text", plainText(value)]] : [];
  const properties: Property[] = [
    ["uid", {}, "text", uid],
    ["dtstamp", {}, "date-time", formatUtc(updated_at)],
    ["created", {}, "date-time", formatUtc(created_at)],
    ["last-modified", {}, "date-time", formatUtc(updated_at)],
    ...times(event),
    ...recurrence.map((rule): Property => ["rrule", {}, "recur", recur(rule, event)]),
    ...text("summary", title),
    ...text("description", body),
    ...text("location", location),
  ];
  if (link) properties.push(["url", {}, "uri", link]);
  properties.push(["x-wcs-type", {}, "unknown", type]);
  return ["vevent", properties, []];
}

function times(event: ListedEvent): Property[] {
  if (event.date !== null) {
    return [
      ["dtstart", {}, "date", event.date],
      ["dtend", {}, "date", addDays(event.date, 1)],
    ];
  }
  const [{ start, end } = { start: 0, end: 0 }] = event.dates;
  // A rule needs local times, and those cannot name the second occurrence of an hour; a duration can end there.
  const isDuration = event.recurrence.length > 0 && !isClear(event.timezone, end);
  const last: Property = isDuration ? ["duration", {}, "duration", `PT${end - start}S`] : time("dtend", end, event);
  return [time("dtstart", start, event), last];
}

/** When daylight saving time ends, an hour occurs twice; a local time means the first one. */
function isClear(timezone: string, instant: number): boolean {
  const clock = clockOf(timezone);
  return clock.instant(clock.wall(instant)) === instant;
}

function time(name: string, instant: number, event: ListedEvent): Property {
  const { timezone, recurrence } = event;
  return isLocal(event) && (recurrence.length > 0 || isClear(timezone, instant))
    ? [name, { tzid: timezone }, "date-time", formatLocal(clockOf(timezone).wall(instant))]
    : [name, {}, "date-time", formatUtc(instant)];
}

/** Tests whether the event's times are local, so that the file needs its time zone. */
export const isLocal = ({ date, timezone, dates }: ListedEvent): boolean =>
  date === null && timezone !== "UTC" && (dates[0]?.start ?? firstLocal) >= firstLocal;

function recur(rule: Rule, { date, timezone }: ListedEvent) {
  const lastSecond = (day: string) => formatUtc(clockOf(timezone).startOf(addDays(day, 1)) - 1);
  const parts = rrulePartsOf(rule, (day) => (date === null ? lastSecond(day) : day));
  return Object.fromEntries(parts.map(([name, value]) => [name.toLowerCase(), value]));
}
