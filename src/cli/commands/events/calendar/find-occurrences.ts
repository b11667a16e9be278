import type { Caller } from "../../../../contract/operation.ts";
import { addDays } from "../../../time/days.ts";
import { type Clock, clockOf, daySeconds } from "../../../time/zone-clock.ts";
import { type ListedEvent, walkEvents } from "../walk-events.ts";

export type ShownOccurrence = ReturnType<typeof occurrencesOf>[number];

/** A range of days, first and last included. */
export type TimeSpan = Readonly<Record<"first" | "last", string>>;

/** Days before the span that are searched, too, for events that still go on and for days of other time zones. */
const maxDays = 31;

/** Finds the occurrences on these days in the time zone, ordered by day and time, whole days first. */
export async function occurrencesIn(
  caller: Caller,
  span: TimeSpan,
  zone: string | undefined,
  type: ListedEvent["type"] | undefined,
): Promise<ShownOccurrence[]> {
  const clock = clockOf(zone);
  const start = clock.startOf(addDays(span.first, -maxDays));
  const end = clock.startOf(addDays(span.last, 1)) + daySeconds;
  const found: ShownOccurrence[] = [];
  for await (const events of walkEvents(caller, { start, end, type }))
    for (const event of events) found.push(...occurrencesOf(event, span, clock));
  const time = ({ start }: ShownOccurrence) => start ?? 0;
  const byTime = (a: ShownOccurrence, b: ShownOccurrence) =>
    a.day.localeCompare(b.day) || time(a) - time(b) || a.title.localeCompare(b.title) || a.id - b.id;
  return found.sort(byTime);
}

function occurrencesOf(event: ListedEvent, { first, last }: TimeSpan, clock: Clock) {
  const { id, title, type, all_day, location, link, url } = event;
  const shown = (day: string, start: number | null, end: number | null) => {
    return { id, title, type, day, all_day, start, end, location, link, url };
  };
  const whole = event.days.filter((day) => day >= first && day <= last).map((day) => shown(day, null, null));
  const [from, to] = [clock.startOf(first), clock.startOf(addDays(last, 1))];
  const timed = event.dates
    .filter(({ start, end }) => start < to && (end > from || start >= from))
    .map(({ start, end }) => shown(clock.day(start), start, end));
  return [...whole, ...timed];
}
