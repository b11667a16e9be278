/** The clocks of a time zone. Wall time is in milliseconds, as if what they show were UTC; instants are Unix seconds. */
export interface Clock {
  /** What the clocks show at an instant. */
  wall(instant: number): number;
  /** When the clocks show that; of a time that a change of clocks leaves out, as much later; of one shown twice, the first. */
  instant(wall: number): number;
  /** The day at an instant, as YYYY-MM-DD. */
  day(instant: number): string;
  /** When a day begins. */
  startOf(day: string): number;
}

const clocks = new Map<string | undefined, Clock>();

/** The clocks of a zone of the IANA database; without one those of the machine. */
export function clockOf(zone: string | undefined): Clock {
  const known = clocks.get(zone);
  if (known) return known;
  const clock = createClock(zone);
  clocks.set(zone, clock);
  return clock;
}

const hour = 3_600_000;

function createClock(zone: string | undefined): Clock {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const wall = (instant: number): number => {
    const parts: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(instant * 1000)) parts[type] = Number(value);
    const { year = 0, month = 1, day, hour, minute, second } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
  const offset = (instant: number) => wall(instant) - instant * 1000;
  const instant = (shown: number): number => {
    // Offsets before and after any change of the clocks that may be near.
    const before = offset(Math.floor((shown - 24 * hour) / 1000));
    const after = offset(Math.floor((shown + 24 * hour) / 1000));
    const first = Math.floor((shown - Math.max(before, after)) / 1000);
    if (wall(first) === shown) return first;
    const second = Math.floor((shown - Math.min(before, after)) / 1000);
    // What was left out is counted on by the clocks as they were before.
    return wall(second) === shown ? second : Math.floor((shown - before) / 1000);
  };
  const day = (at: number) => new Date(wall(at)).toISOString().slice(0, 10);
  return { wall, instant, day, startOf: (text) => instant(Date.parse(text)) };
}
