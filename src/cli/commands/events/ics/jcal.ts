/** A property in jCal (RFC 7265). */
export type Property = [name: string, parameters: Record<string, string>, type: string, value: unknown];

export type Component = [name: string, properties: Property[], components: Component[]];

/** Normalizes line breaks to "\n" and removes the control characters that iCalendar does not allow. */
export function plainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
  return text.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "");
}

/**
 * Normalizes a text and joins its lines with `between`, because some calendars write addresses on several lines. Each pattern
 * tries a run of spaces once: from each of its characters, the time would grow with the square of its length.
 */
export function textOnOneLine(text: string, between: string): string {
  return plainText(text)
    .replace(/^[\n\t]+|(?<![\n\t])[\n\t]+$/g, "")
    .replace(/(?<! ) *\n\s*/g, between)
    .replaceAll("\t", " ");
}

export const formatUtc = (instant: number): string => `${new Date(instant * 1000).toISOString().slice(0, 19)}Z`;

/** Formats a local time, given in milliseconds as if it were UTC, without a zone. */
export const formatLocal = (wall: number): string => new Date(wall).toISOString().slice(0, 19);

/** Formats a component as iCalendar, with lines of at most 75 octets that end with CRLF. */
export async function formatComponent(component: Component): Promise<string> {
  const { default: ICAL } = await import("ical.js");
  // The library does not count the space at the start of a continuation line.
  ICAL.foldLength = 74;
  return ICAL.stringify(component);
}
