import { timesIn } from "../../../output/format-value.ts";
import { sanitizeLine } from "../../../terminal/sanitize.ts";
import { addDays } from "../../../time/days.ts";
import { clockOf } from "../../../time/zone-clock.ts";
import type { ShownOccurrence, TimeSpan } from "./find-occurrences.ts";

export interface CalendarEntry {
  readonly title: string;
  readonly location: string;
  /** Start time, for example `14:00`; empty for whole days and when the event began on an earlier day. */
  readonly from: string;
  /** End time, for example `15:00`; empty when it equals `from` or is on a later day. */
  readonly to: string;
  readonly goesOn: boolean;
}

/** Groups occurrences by the days of the span, in their order. An event over several days has an entry on each. */
export function entriesByDay(
  occurrences: readonly ShownOccurrence[],
  span: TimeSpan,
  zone: string | undefined,
): ReadonlyMap<string, readonly CalendarEntry[]> {
  const clock = clockOf(zone);
  const time = (instant: number) => timesIn(zone).short(instant).slice(11);
  const entries = new Map<string, CalendarEntry[]>();
  for (const { title, location, day, start, end } of occurrences) {
    const texts = { title: sanitizeLine(title), location: sanitizeLine(location ?? "") };
    // An event that ends at midnight has no entry on the day that then begins.
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
