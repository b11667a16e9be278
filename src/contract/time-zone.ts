import { memoize } from "./bounded-map.ts";

const isKnown = memoize((zone: string): boolean => {
  try {
    // An offset such as +02:00 is not a zone of the IANA database.
    return /^[A-Za-z]/.test(zone) && Boolean(new Intl.DateTimeFormat("en", { timeZone: zone }));
  } catch {
    return false;
  }
});

export const isTimeZone = (zone: string): boolean => zone.length <= 64 && isKnown(zone);
