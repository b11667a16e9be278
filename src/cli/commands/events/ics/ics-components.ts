export interface RawComponent {
  /** Name, for example VEVENT; VCALENDAR for the properties of a calendar itself. */
  readonly name: string;
  readonly line: number;
  /** Its own lines, unfolded. */
  readonly lines: string[];
  /** Names of the components in it; empty for a calendar. */
  readonly inner: string[];
  /** Its lines and those of the components in it. */
  readonly all: string[];
  /** Names of the open components around the current line, this component first. */
  readonly within: string[];
  readonly isWhole: boolean;
}

function open(name: string, line: number, begin: string): RawComponent {
  return { name, line, lines: [], inner: [], all: [begin], within: [name], isWhole: false };
}

/** Yields the components of the calendars in a file in order, each calendar after its components. Skips other lines. */
export function* componentsOf(text: string): Generator<RawComponent> {
  let calendar: RawComponent | undefined;
  let inside: RawComponent | undefined;
  for (const { line, number } of unfolded(text)) {
    const [, word, name = ""] = /^(BEGIN|END):\s*([\w-]+)\s*$/.exec(line.slice(0, 80).toUpperCase()) ?? [];
    if (name === "VCALENDAR") {
      // A component that is still open here has no END line.
      if (inside) yield inside;
      if (calendar) yield { ...calendar, isWhole: word === "END" };
      inside = undefined;
      calendar = word === "BEGIN" ? open(name, number, line) : undefined;
    } else if (inside) {
      if (!addLine(inside, word, name, line)) continue;
      yield { ...inside, isWhole: inside.within.length === 0 };
      inside = undefined;
    } else if (word === "BEGIN" && calendar) inside = open(name, number, line);
    else calendar?.lines.push(line);
  }
  if (inside) yield inside;
  if (calendar) yield calendar;
}

/** Adds a line to a component. Returns true when the component ends here, at its END line or at an unmatched one. */
function addLine({ within, inner, lines, all }: RawComponent, word: string | undefined, name: string, line: string) {
  all.push(line);
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

/** Unfolds lines (RFC 5545, 3.1), each with the number of its first line in the file; lines may end with CRLF, LF or CR. */
function* unfolded(text: string) {
  let raw: string[] = [];
  let number = 0;
  let first = 1;
  const whole = () => ({ line: raw.join("\n").replace(/\n[ \t]/g, ""), number: first });
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
  for (const [, line = ""] of text.matchAll(/([^\r\n]+)(?:\r\n|[\r\n]|$)|\r\n|[\r\n]/g)) yield line;
}
