import { events } from "../../../../contract/events.ts";
import type { Caller } from "../../../../contract/operation.ts";
import { walkItems } from "../../../kit/walk-list.ts";
import type { ListedEvent } from "../calendar/walk-events.ts";
import { plainText } from "./jcal.ts";
import type { ReadEvent } from "./read-ics.ts";

/** Finds existing events by UID that the user can edit. Prefers the user's own when several have the same UID. */
export async function findByUid(
  caller: Caller,
  uids: readonly string[],
  me: number,
): Promise<Map<string, ListedEvent>> {
  const found = new Map<string, ListedEvent>();
  for await (const event of walkItems(caller, events.list, { uid: uids })) {
    if (event.permissions.edit && (event.author.id === me || !found.has(event.uid))) found.set(event.uid, event);
  }
  return found;
}

export function contentOf({ title, body, location, link, date, start, end, recurrence }: ReadEvent) {
  const time = date === null ? { all_day: false, date, start, end } : { all_day: true, date, start: null, end: null };
  return { title, body, location, link, ...time, recurrence: [...recurrence] };
}

type Content = ReturnType<typeof contentOf>;

/** Returns the fields in which the event differs from the file, with the values of the file. */
export function changesTo(event: ListedEvent, read: ReadEvent): Partial<Content> {
  const wanted = contentOf(read);
  const is = {
    title: plainText(event.title),
    body: plainText(event.body),
    location: event.location === null ? null : plainText(event.location) || null,
    link: event.link,
    all_day: event.all_day,
    date: event.date,
    start: event.dates[0]?.start ?? null,
    end: event.dates[0]?.end ?? null,
    recurrence: event.recurrence,
  };
  const differs = (name: keyof Content) => !isSame(is[name], wanted[name]);
  const times = ["all_day", "date", "start", "end", "recurrence"] as const;
  // Times and recurrence are valid only together, so all of them are sent when one differs.
  const timing = times.some(differs) ? times : [];
  const changed = [...(["title", "body", "location", "link"] as const).filter(differs), ...timing];
  return Object.fromEntries(changed.map((name) => [name, wanted[name]]));
}

function isSame(one: unknown, other: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(
      Array.isArray(value) ? value.map((item) => JSON.stringify(Object.entries(item).sort())).sort() : value,
    );
  return text(one) === text(other);
}
