/** A component of an iCalendar file, not yet understood. */
export interface RawComponent {
  /** VEVENT and the like. */
  readonly name: string;
  /** Of its first line, from 1. */
  readonly line: number;
  /** Its own lines in full: folded ones are put together. */
  readonly lines: readonly string[];
  /** The names of components in it. */
  readonly inner: readonly string[];
  /** Its lines as they stand in the file, with those of components in it. */
  readonly raw: readonly string[];
  /** Has its END. */
  readonly isWhole: boolean;
}

/** What an iCalendar file holds. */
export interface RawCalendar {
  /** The lines that tell of the calendar as a whole. */
  readonly lines: readonly string[];
  readonly components: readonly RawComponent[];
}

/** Divides a file into the components of its calendars; undefined when it has no calendar. */
export function divide(text: string): RawCalendar | undefined {
  const calendar = { lines: [] as string[], components: [] as RawComponent[] };
  let isCalendar = false;
  let open: Opened | undefined;
  const close = (isWhole: boolean) => {
    if (open) calendar.components.push({ ...open, isWhole });
    open = undefined;
  };
  for (const { line, at, raw } of unfolded(text)) {
    const [, word = "", name = ""] =
      /^(BEGIN|END):\s*([\w-]+)\s*$/i.exec(line)?.map((part) => part.toUpperCase()) ?? [];
    if (name === "VCALENDAR") {
      // What is still open then has lost its end.
      close(false);
      isCalendar = true;
    } else if (!isCalendar) continue;
    else if (open) {
      open.raw.push(...raw);
      if (word === "BEGIN") {
        open.inner.push(name);
        open.within.push(name);
      } else if (word === "END" && open.within.at(-1) === name) {
        open.within.pop();
        if (open.within.length === 0) close(true);
      } else if (word === "END") close(false);
      else if (open.within.length === 1) open.lines.push(line);
    } else if (word === "BEGIN") open = { name, line: at, lines: [], inner: [], raw: [...raw], within: [name] };
    else if (word === "" && line !== "") calendar.lines.push(line);
  }
  close(false);
  return isCalendar ? calendar : undefined;
}

interface Opened {
  readonly name: string;
  readonly line: number;
  readonly lines: string[];
  readonly inner: string[];
  readonly raw: string[];
  /** The components that the present line is in, from this one on. */
  readonly within: string[];
}

interface Unfolded {
  readonly line: string;
  /** The number of its first line. */
  readonly at: number;
  readonly raw: readonly string[];
}

/** Lines as they were before they were folded (RFC 5545, 3.1), whatever ends them. */
function* unfolded(text: string): Generator<Unfolded> {
  let raw: string[] = [];
  let first = 1;
  let number = 0;
  for (const line of text.split(/\r\n|\n|\r/)) {
    number += 1;
    if (/^[ \t]/.test(line) && raw.length > 0) {
      raw.push(line);
      continue;
    }
    if (raw.length > 0) yield whole(raw, first);
    raw = [line];
    first = number;
  }
  if (raw.length > 0) yield whole(raw, first);
}

function whole(raw: readonly string[], at: number): Unfolded {
  return { line: raw.map((part, index) => (index === 0 ? part : part.slice(1))).join(""), at, raw };
}
