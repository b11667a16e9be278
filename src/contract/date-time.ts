const clock = "(?:[01]\\d|2[0-3]):[0-5]\\d";
const form = new RegExp(
  `^(\\d{4}-\\d{2}-\\d{2})(?:[Tt ](${clock})(?::([0-5]\\d|60))?(?:\\.\\d+)?(?:([Zz])|([+-](?:[01]\\d|2[0-3])):?([0-5]\\d))?)?$`,
);

/** Returns a date or date-time of RFC 3339 as in `2026-12-31T14:00:00+01:00`, without fractions of a second; else undefined. */
export function normalizeDateTime(text: string): string | undefined {
  const [, day, time, second, zulu, hours, minutes] = form.exec(text) ?? [];
  if (day === undefined || !exists(day)) return undefined;
  if (time === undefined) return day;
  // No clock of a program shows a leap second.
  const seconds = second === undefined ? "" : `:${second === "60" ? "59" : second}`;
  return `${day}T${time}${seconds}${zulu ? "Z" : hours === undefined ? "" : `${hours}:${minutes}`}`;
}

/** Returns false for a day like 2026-02-30. Needs no schema, as commands that take a time load none. */
function exists(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** Returns the Unix time of a date-time with an offset; undefined when the text is not one. */
export function parseDateTime(text: string): number | undefined {
  const normal = normalizeDateTime(text);
  if (normal === undefined || !/(Z|[+-]\d{2}:\d{2})$/.test(normal.slice("YYYY-MM-DD".length))) return undefined;
  return Date.parse(normal) / 1000;
}
