import { clockOf } from "../clock.ts";
import { markdownLines } from "../markdown/markdown.ts";
import { createTableWriter } from "../output/table.ts";
import type { Form, Sheet } from "../output/writer.ts";
import type { Item } from "../paging.ts";
import { phraseOf } from "./repeat/phrase.ts";
import type { Event } from "./walking.ts";

const dayLength = 86_400;
const shownDates = 4;
const widestText = 100;

/** Events in a line each, with the occurrence that comes next. */
export const eventList: Form = (sheet) => {
  const columns = ["id", "when", "title", "repeats", "location", "type"];
  const table = createTableWriter({ ...sheet, columns });
  const times = timesOf(sheet, false);
  const rowOf = (event: Event): Item => ({
    ...event,
    when: times(event)[0] ?? "",
    repeats: event.recurrence.length > 0 ? phraseOf(event.recurrence) : "",
  });
  return { ...table, page: (items) => table.page((items as unknown as readonly Event[]).map(rowOf)) };
};

/** One event: what is known of it, and below that its text. */
export const eventForm: Form = (sheet) => {
  const { terminal } = sheet;
  const table = createTableWriter(sheet);
  const spans = timesOf(sheet, true);
  const starts = timesOf(sheet, false);
  return {
    ...table,
    async one(item) {
      const event = item as unknown as Event;
      const { id, title, body, recurrence, location, link, type, units, userTypes, author, participation, seen } =
        event;
      const { files, uploading_files, shared, timezone, uid, created_at, updated_at } = event;
      const [when] = spans(event);
      const later = starts(event).slice(1);
      const dots = later.length > shownDates ? ", ..." : "";
      await table.one({
        ...{ id, title, when, repeats: recurrence.length > 0 ? phraseOf(recurrence) : "" },
        further: later.slice(0, shownDates).join(", ") + dots,
        ...{ location, link, type, units, userTypes, shared, author, participation, seen, files },
        uploading: uploading_files > 0 ? uploading_files : null,
        ...{ timezone, uid, created_at, updated_at },
      });
      if (body === "") return;
      const width = terminal.stdoutIsTerminal ? Math.min(terminal.width, widestText) : Number.POSITIVE_INFINITY;
      await terminal.write(`\n${(await markdownLines(body, { width, paint: terminal.paint })).join("\n")}\n`);
    },
  };
};

/** Writes when an event takes place, from its next occurrence on; when all are over, the last one. */
function timesOf({ zone }: Sheet, hasEnd: boolean): (event: Event) => string[] {
  const clock = clockOf(zone);
  const now = Math.floor(Date.now() / 1000);
  const today = clock.day(now);
  const text = (instant: number) => new Date(clock.wall(instant)).toISOString().slice(0, 16).replace("T", " ");
  const span = ({ start, end }: Event["dates"][number]) => {
    if (start === end || !hasEnd) return text(start);
    const isSameDay = end - start < dayLength && clock.day(start) === clock.day(end);
    return `${text(start)}${isSameDay ? `–${text(end).slice(11)}` : ` – ${text(end)}`}`;
  };
  return ({ dates, days }) => {
    const coming = [...days.filter((day) => day >= today), ...dates.filter(({ end }) => end >= now)];
    const shown = coming.length > 0 ? coming : [...days.slice(-1), ...dates.slice(-1)];
    return shown.map((one) => (typeof one === "string" ? one : span(one)));
  };
}
