/** A component of an iCalendar file, not yet understood. */
export interface RawComponent {
  /** VEVENT and the like; VCALENDAR for what a calendar as a whole says. */
  readonly name: string;
  /** Of its first line, from 1. */
  readonly line: number;
  /** Its own lines in full: folded ones are put together. */
  readonly lines: readonly string[];
  /** The names of components in it, except in those of a calendar. */
  readonly inner: readonly string[];
  /** Its lines as they stand in the file, with those of components in it. */
  readonly raw: readonly string[];
  /** Has its END. */
  readonly isWhole: boolean;
}

interface Opened extends RawComponent {
  readonly lines: string[];
  readonly inner: string[];
  readonly raw: string[];
  /** The components that the present line is in, from this one on. */
  readonly within: string[];
}

const open = (name: string, line: number, raw: readonly string[]): Opened => {
  return { name, line, lines: [], inner: [], raw: [...raw], within: [name], isWhole: false };
};

/** The components of the calendars in a file, in its order, each calendar after what is in it; what is outside is passed over. */
export function* componentsOf(text: string): Generator<RawComponent> {
  let calendar: Opened | undefined;
  let inside: Opened | undefined;
  for (const { line, number, raw } of unfolded(text)) {
    const [, word, name = ""] = /^(BEGIN|END):\s*([\w-]+)\s*$/.exec(line.slice(0, 80).toUpperCase()) ?? [];
    if (name === "VCALENDAR") {
      // What is still open then has lost its end.
      if (inside) yield inside;
      if (calendar) yield { ...calendar, isWhole: word === "END" };
      inside = undefined;
      calendar = word === "BEGIN" ? open(name, number, []) : undefined;
    } else if (inside) {
      if (!goOn(inside, word, name, line, raw)) continue;
      yield { ...inside, isWhole: inside.within.length === 0 };
      inside = undefined;
    } else if (word === "BEGIN" && calendar) inside = open(name, number, raw);
    else calendar?.lines.push(line);
  }
  if (inside) yield inside;
  if (calendar) yield calendar;
}

/** Takes a line into a component; true when it ends there, at its END or at one that is not its own. */
function goOn(
  component: Opened,
  word: string | undefined,
  name: string,
  line: string,
  raw: readonly string[],
): boolean {
  const { within, inner, lines } = component;
  component.raw.push(...raw);
  if (word === "BEGIN") {
    inner.push(name);
    within.push(name);
  } else if (word === "END") {
    if (within.at(-1) !== name) return true;
    within.pop();
    return within.length === 0;
  } else if (within.length === 1) lines.push(line);
  return false;
}

interface Unfolded {
  readonly line: string;
  /** Of its first line. */
  readonly number: number;
  readonly raw: readonly string[];
}

/** Lines as they were before they were folded (RFC 5545, 3.1), whatever ends them. */
function* unfolded(text: string): Generator<Unfolded> {
  let raw: string[] = [];
  let number = 0;
  let first = 1;
  const whole = (): Unfolded => ({
    line:
      raw[0] +
      raw
        .slice(1)
        .map((part) => part.slice(1))
        .join(""),
    number: first,
    raw,
  });
  for (const line of linesOf(text)) {
    number += 1;
    if (raw.length > 0 && /^[ \t]/.test(line)) raw.push(line);
    else {
      if (raw.length > 0) yield whole();
      raw = [line];
      first = number;
    }
  }
  if (raw.length > 0) yield whole();
}

function* linesOf(text: string): Generator<string> {
  const ends = /\r\n|\n|\r/g;
  let from = 0;
  for (let end = ends.exec(text); end; end = ends.exec(text)) {
    yield text.slice(from, end.index);
    from = ends.lastIndex;
  }
  if (from < text.length) yield text.slice(from);
}
