import { addDays } from "../../../time/days.ts";
import { dayLength, dayOf } from "../../../time/zone-clock.ts";
import type { IcsTimes } from "./ics-times.ts";
import type { Zone } from "./ics-zones.ts";

/**
 * Returns the last day on which a rule can occur, given UNTIL as a date or as the latest time of an occurrence.
 * Returns undefined when UNTIL is invalid.
 */
export function lastDay(
  until: string,
  { zone, start }: Pick<IcsTimes, "zone" | "start">,
  clock: Zone,
): string | undefined {
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
