import { timesIn } from "./format-value.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Returns a formatter for ages of Unix times: `5 min ago`, or the date in the zone after a day. */
export function agesIn(zone: string | undefined, clock = Date.now): (seconds: number) => string {
  const { short } = timesIn(zone);
  return (seconds) => {
    const age = Math.floor(clock() / 1000) - seconds;
    // The clocks of two machines may differ slightly.
    if (age >= day || age < -minute) return short(seconds);
    if (age < minute) return "just now";
    return age < hour ? `${Math.floor(age / minute)} min ago` : `${Math.floor(age / hour)} h ago`;
  };
}
