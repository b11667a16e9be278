/** A property as jCal has it (RFC 7265): name, parameters, type of its value, value. */
export type Property = [name: string, parameters: Record<string, string>, type: string, value: unknown];

/** A component as jCal has it: name, properties, components in it. */
export type Component = [name: string, properties: Property[], components: Component[]];

/** A text as iCalendar can hold it: lines end with "\n", and the only other control is the tab. */
export function plainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
  return text.replace(/\r\n?/g, "\n").replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "");
}

/** The same on one line: calendar programs write addresses on several. */
export function textOnOneLine(text: string, between: string): string {
  return plainText(text)
    .replace(/^[\n\t]+|[\n\t]+$/g, "")
    .replace(/ *\n\s*/g, between)
    .replaceAll("\t", " ");
}

/** An instant in Unix seconds as a time in UTC. */
export const utc = (instant: number): string => `${new Date(instant * 1000).toISOString().slice(0, 19)}Z`;

/** What the clocks show, in milliseconds as if it were UTC, as a time without zone. */
export const local = (wall: number): string => new Date(wall).toISOString().slice(0, 19);

/** A component as iCalendar writes it, each line 75 octets at most and ended by CRLF. */
export async function iCalendar(component: Component): Promise<string> {
  const { default: ICAL } = await import("ical.js");
  // The space that begins a continued line is not counted.
  ICAL.foldLength = 74;
  return ICAL.stringify(component);
}
