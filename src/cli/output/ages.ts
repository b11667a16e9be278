import { timesIn } from "../cells.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago something was, as people say it; of what is older than a day, the date in the zone. Unix seconds. */
export function agesIn(zone: string | undefined, clock = Date.now): (seconds: number) => string {
  const { short } = timesIn(zone);
  return (seconds) => {
    const age = Math.floor(clock() / 1000) - seconds;
    // Clocks of two machines may differ a little.
    if (age >= day || age < -minute) return short(seconds);
    if (age < minute) return "just now";
    return age < hour ? `${Math.floor(age / minute)} min ago` : `${Math.floor(age / hour)} h ago`;
  };
}
