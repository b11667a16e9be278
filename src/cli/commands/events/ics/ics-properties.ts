import ICAL from "ical.js";

export interface ReadProperty {
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly value: unknown;
}

export type Properties = Exclude<ReturnType<typeof propertiesOf>, string>;

/** Properties that are parsed; errors in other lines are ignored. */
const wanted = new Set(
  "UID SUMMARY DESCRIPTION LOCATION URL DTSTART DTEND DURATION RECURRENCE-ID STATUS CLASS X-WCS-TYPE".split(" "),
);

/** Parses the lines of a component. Returns a message when one of them cannot be parsed. RRULE lines are not parsed. */
export function propertiesOf(lines: readonly string[]) {
  const found = new Map<string, ReadProperty>();
  const counts = new Map<string, number>();
  const rrules: string[] = [];
  for (const line of lines) {
    const name = /^[\w-]+/.exec(line)?.[0].toUpperCase() ?? "";
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (name === "RRULE") rrules.push(line.slice(line.indexOf(":") + 1));
    // When a property occurs more than once, the first one counts.
    if (!wanted.has(name) || found.has(name.toLowerCase())) continue;
    const property = read(line);
    if (property === undefined) return `has a line that cannot be parsed: ${line.slice(0, 80)}`;
    found.set(name.toLowerCase(), property);
  }
  return {
    /** Returns the first property with that name, in lower case. */
    first: (name: string) => found.get(name),
    rrules,
    /** Returns the number of lines with that name, in upper case. */
    count: (name: string) => counts.get(name) ?? 0,
  };
}

function read(line: string): ReadProperty | undefined {
  try {
    const [, parameters, , value] = ICAL.parse.property(line, ICAL.design.icalendar) as [
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
