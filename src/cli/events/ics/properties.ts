import type ICAL from "ical.js";

/** A property of a component, its value decoded. */
export interface ReadProperty {
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly value: unknown;
}

/** The properties of a component that matter. */
export interface Properties {
  /** By its name in small letters. */
  first(name: string): ReadProperty | undefined;
  /** The values of RRULE lines as they stand. */
  readonly rrules: readonly string[];
  /** How many lines of that name in capitals there are. */
  count(name: string): number;
}

/** What is read; of everything else a mistake does not matter. */
const wanted = new Set(
  "UID SUMMARY DESCRIPTION LOCATION URL DTSTART DTEND DURATION RECURRENCE-ID STATUS CLASS X-WCS-TYPE".split(" "),
);

/** Reads the lines of a component; or which of them cannot be read. */
export function propertiesOf(lines: readonly string[], library: typeof ICAL): Properties | string {
  const found = new Map<string, ReadProperty>();
  const counts = new Map<string, number>();
  const rrules: string[] = [];
  for (const line of lines) {
    const name = /^[\w-]+/.exec(line)?.[0].toUpperCase() ?? "";
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (name === "RRULE") rrules.push(line.slice(line.indexOf(":") + 1));
    // Of a property that should stand once, the first one counts.
    if (!wanted.has(name) || found.has(name.toLowerCase())) continue;
    const property = read(line, library);
    if (property === undefined) return `has a line that cannot be read: ${line.slice(0, 80)}`;
    found.set(name.toLowerCase(), property);
  }
  return { first: (name) => found.get(name), rrules, count: (name) => counts.get(name) ?? 0 };
}

function read(line: string, library: typeof ICAL): ReadProperty | undefined {
  try {
    const [, parameters, , value] = library.parse.property(line, library.design.icalendar) as [
      string,
      Record<string, string>,
      string,
      unknown,
    ];
    return { parameters, value };
  } catch {
    return undefined;
  }
}
