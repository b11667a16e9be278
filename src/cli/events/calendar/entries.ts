import { clockOf } from "../../clock.ts";
import { oneLine } from "../../plain.ts";
import { addDays } from "./days.ts";
import type { Occurrence, Span } from "./occurrences.ts";

/** What takes place on one day. */
export interface Entry {
  readonly title: string;
  readonly location: string;
  /** `14:00`, or nothing: it takes the whole day, or it began earlier. */
  readonly from: string;
  /** `15:00`, or nothing: the same as `from`, or later than this day. */
  readonly to: string;
  /** Goes on since a day before. */
  readonly goesOn: boolean;
}

/** Entries by day, of each day of the span on which something takes place, in the order of the occurrences. */
export function entriesByDay(
  occurrences: readonly Occurrence[],
  span: Span,
  zone: string | undefined,
): ReadonlyMap<string, readonly Entry[]> {
  const clock = clockOf(zone);
  const time = (instant: number) => new Date(clock.wall(instant)).toISOString().slice(11, 16);
  const entries = new Map<string, Entry[]>();
  for (const { title, location, day, start, end } of occurrences) {
    const texts = { title: oneLine(title), location: oneLine(location ?? "") };
    // What ends at midnight is over when the next day begins.
    const last = start === null || end === null ? day : clock.day(Math.max(start, end - 1));
    for (let at = day < span.first ? span.first : day; at <= last && at <= span.last; at = addDays(at, 1)) {
      const from = start === null || at !== day ? "" : time(start);
      const to = end === null || at !== last || end === start ? "" : time(end);
      const more = entries.get(at) ?? [];
      more.push({ ...texts, from, to, goesOn: at !== day });
      entries.set(at, more);
    }
  }
  return entries;
}
