import { memoize } from "../../contract/bounded-map.ts";
import { once } from "../../contract/once.ts";

export type Clock = ReturnType<typeof createClock>;

export const daySeconds = 86_400;
/** In milliseconds, as wall times are. */
export const dayLength = daySeconds * 1000;

export const dayOf = (wall: number): string => new Date(wall).toISOString().slice(0, 10);

export const clockOf = memoize(createClock);

const hour = 3_600_000;

/** The machine's wall time by Date, because Intl takes 14 ms to load. */
function machineWall(instant: number): number {
  const at = new Date(instant * 1000);
  return Date.UTC(at.getFullYear(), at.getMonth(), at.getDate(), at.getHours(), at.getMinutes(), at.getSeconds());
}

function wallIn(zone: string): (instant: number) => number {
  const format = once(
    () =>
      new Intl.DateTimeFormat("en-US", {
        timeZone: zone,
        hourCycle: "h23",
        year: "numeric",
        month: "numeric",
        day: "numeric",
        hour: "numeric",
        minute: "numeric",
        second: "numeric",
      }),
  );
  return (instant) => {
    const parts: Record<string, number> = {};
    for (const { type, value } of format().formatToParts(instant * 1000)) parts[type] = Number(value);
    const { year = 0, month = 1, day, hour, minute, second } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
}

/** Wall time is in milliseconds, as if it were UTC; instants are Unix seconds. temporal-polyfill takes long to load. */
function createClock(zone: string | undefined) {
  const wall = zone === undefined ? machineWall : wallIn(zone);
  const offset = (instant: number) => wall(instant) - instant * 1000;
  /** Returns the first instant of a wall time; if a clock change skips it, by the offset before the change. */
  const instant = (shown: number): number => {
    // Offsets a day before and after, in case a clock change lies between.
    const before = offset(Math.floor((shown - 24 * hour) / 1000));
    const after = offset(Math.floor((shown + 24 * hour) / 1000));
    const first = Math.floor((shown - Math.max(before, after)) / 1000);
    if (wall(first) === shown) return first;
    const second = Math.floor((shown - Math.min(before, after)) / 1000);
    return wall(second) === shown ? second : Math.floor((shown - before) / 1000);
  };
  /** Returns the day of an instant as YYYY-MM-DD. */
  const day = (at: number) => dayOf(wall(at));
  return { wall, instant, day, startOf: (text: string) => instant(Date.parse(text)) };
}
