import { timesIn } from "../../output/format-value.ts";
import type { Item } from "../../output/item.ts";
import type { OutputOptions, Renderer } from "../../output/renderer.ts";
import { createTableWriter } from "../../output/table-writer.ts";
import { markdownLines } from "../../terminal/markdown/markdown.ts";
import { phraseOf } from "../../time/recurrence/describe-rule.ts";
import { clockOf, daySeconds } from "../../time/zone-clock.ts";
import type { ListedEvent } from "./walk-events.ts";

const shownDates = 4;
const maxTextWidth = 100;

const phraseIn = ({ recurrence }: Pick<ListedEvent, "recurrence">): string =>
  recurrence.length > 0 ? phraseOf(recurrence) : "";

/** Shows the first occurrence of each event from `from` on, which is now by default. */
export const eventList =
  (from?: number): Renderer<ListedEvent> =>
  (options) => {
    const columns = ["id", "when", "title", "repeats", "location", "type"];
    const table = createTableWriter({ ...options, columns, isUncut: (name) => name === "id" || name === "when" });
    const times = timesOf(options, { hasEnd: false, from });
    const rowOf = (event: ListedEvent): Item => {
      const title = `${event.seen ? "" : "• "}${event.title}`;
      return { ...event, title, when: times(event)[0] ?? "", repeats: phraseIn(event) };
    };
    return { ...table, page: (items) => table.page(items.map(rowOf)) };
  };

/** Returns the function that makes a row with the first occurrence from `from` on, or the running or next one. */
export function eventRow(from?: number): (event: Pick<ListedEvent, "dates" | "recurrence">) => Item {
  const isComing = comingFrom(from);
  return (event) => {
    const { start = null, end = null } = event.dates.find(isComing) ?? event.dates.at(-1) ?? {};
    return { ...event, start, end, repeats: phraseIn(event) };
  };
}

/** Returns the row of a single event: the next occurrence in place of all. */
export function singleEventRow(): (event: ListedEvent) => Item {
  const rowOf = eventRow();
  const today = clockOf(undefined).day(Math.floor(Date.now() / 1000));
  return (event) => {
    const { dates, ...row } = rowOf(event);
    const next = event.days.find((day) => day >= today) ?? event.days.at(-1);
    return { ...row, days: next === undefined ? [] : [next] };
  };
}

export const eventForm: Renderer<ListedEvent> = (options) => {
  const { terminal } = options;
  const table = createTableWriter(options);
  const spans = timesOf(options, { hasEnd: true });
  const starts = timesOf(options, { hasEnd: false });
  return {
    ...table,
    async one(event) {
      const { id, title, body, location, link, type, units, userTypes, author, participation, seen } = event;
      const { files, uploading_files, shared, timezone, uid, created_at, updated_at } = event;
      const [when] = spans(event);
      const later = starts(event).slice(1);
      const dots = later.length > shownDates ? ", ..." : "";
      await table.one({
        ...{ id, title, when, repeats: phraseIn(event) },
        further: later.slice(0, shownDates).join(", ") + dots,
        ...{ location, link, type, units, userTypes, shared, author, participation, seen, files },
        uploading: uploading_files > 0 ? uploading_files : null,
        ...{ timezone, uid, created_at, updated_at },
      });
      if (body === "") return;
      const width = terminal.stdoutIsTerminal ? Math.min(terminal.width, maxTextWidth) : Number.POSITIVE_INFINITY;
      await terminal.write(`\n${(await markdownLines(body, { width, paint: terminal.paint })).join("\n")}\n`);
    },
  };
};

type Span = ListedEvent["dates"][number];

/** Returns whether an occurrence starts at or after `from`, or without it has not ended yet. */
function comingFrom(from?: number): (span: Span) => boolean {
  const now = Math.floor(Date.now() / 1000);
  return from === undefined ? ({ end }) => end >= now : ({ start }) => start >= from;
}

interface ShownTimes {
  readonly hasEnd: boolean;
  readonly from?: number | undefined;
}

/** Formats the times of an event, starting with the first occurrence that comes; when there is none, only the last one. */
function timesOf({ zone }: OutputOptions, { hasEnd, from }: ShownTimes): (event: ListedEvent) => string[] {
  const clock = clockOf(zone);
  const isComing = comingFrom(from);
  const first = clock.day(from ?? Math.floor(Date.now() / 1000));
  const span = spanIn(zone);
  return ({ dates, days }) => {
    const coming = [...days.filter((day) => day >= first), ...dates.filter(isComing)];
    const shown = coming.length > 0 ? coming : [...days.slice(-1), ...dates.slice(-1)];
    return shown.map((one) => (typeof one === "string" ? one : span(hasEnd ? one : { ...one, end: one.start })));
  };
}

/** Formats a start and an end, which are one time when they are the same. */
export function spanIn(zone: string | undefined): (span: { readonly start: number; readonly end: number }) => string {
  const clock = clockOf(zone);
  const { short: text } = timesIn(zone);
  return ({ start, end }) => {
    if (start === end) return text(start);
    const isSameDay = end - start < daySeconds && clock.day(start) === clock.day(end);
    return `${text(start)}${isSameDay ? `–${text(end).slice(11)}` : ` – ${text(end)}`}`;
  };
}
