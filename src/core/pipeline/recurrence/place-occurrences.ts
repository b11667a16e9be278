import { takeTurn } from "../event-loop-turns.ts";

/** Number of dates converted to times in one turn of the event loop. */
const datesAtOnce = 50;

/** One occurrence of an event. `day` is set for an all-day event, which lasts from midnight to midnight. */
export interface Occurrence {
  readonly start: number;
  readonly end: number;
  readonly day: string | null;
}

/** The first occurrence. For an all-day event, start and end are ignored. */
export interface FirstOccurrence extends Occurrence {
  readonly timezone: string;
  /** Number of days of an all-day event. */
  readonly wholeDays?: number;
}

/**
 * Returns the occurrences on these days, which are in order; the first day must be that of the first occurrence. A time that a
 * clock change skips moves to the time that the clock shows instead; of a time that occurs twice, the first is used.
 * All occurrences have the same duration, or the same number of whole days.
 */
export async function occurrencesOn(days: readonly string[], first: FirstOccurrence): Promise<Occurrence[]> {
  const { start, end, day, timezone, wholeDays = 1 } = first;
  const { Temporal } = await import("temporal-polyfill");
  const seconds = (time: { epochMilliseconds: number }) => Math.floor(time.epochMilliseconds / 1000);
  const plainTime = Temporal.Instant.fromEpochMilliseconds(start * 1000)
    .toZonedDateTimeISO(timezone)
    .toPlainTime();
  // Keyed by start: where a time zone skipped a whole day, two days start at the same time.
  const found = new Map<number, Occurrence>();
  for (const [at, each] of days.entries()) {
    if (at % datesAtOnce === 0) await takeTurn();
    const date = Temporal.PlainDate.from(each);
    if (day !== null) {
      const from = seconds(date.toZonedDateTime(timezone));
      const to = seconds(date.add({ days: wholeDays }).toZonedDateTime(timezone));
      found.set(from, { start: from, end: to, day: each });
    } else {
      // The first occurrence may be the second of two equal times.
      const from = at === 0 ? start : seconds(date.toZonedDateTime({ timeZone: timezone, plainTime }));
      found.set(from, { start: from, end: from + end - start, day });
    }
  }
  return [...found.values()];
}
