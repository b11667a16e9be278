import type { FieldFormat } from "../../contract/field-metadata.ts";
import { sanitizeLine } from "../terminal/sanitize.ts";
import { clockOf } from "../time/zone-clock.ts";
import { bytesAsText } from "./format-bytes.ts";
import type { Item } from "./item.ts";

export type Cells = ReturnType<typeof createCells>;

/** Functions for the formats whose numbers are not shown unchanged. */
type NumberFormats = { readonly [F in FieldFormat]?: (value: number) => string };

/** Formats values for tables and for rows of text; `formatOf` tells by the path the format of a field. */
export function createCells(zone: string | undefined, formatOf: (path: string) => FieldFormat | undefined) {
  const times = timesIn(zone);
  const number = (value: number, path: string, formats: NumberFormats) => {
    const format = formatOf(path);
    return (format && formats[format]?.(value)) ?? value;
  };
  const inJson = (value: unknown, path: string, formats: NumberFormats): unknown => {
    if (typeof value === "number") return number(value, path, formats);
    if (Array.isArray(value)) return value.map((item) => inJson(item, path, formats));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, inJson(part, `${path}.${name}`, formats)]),
    );
  };
  const show = (value: unknown, path: string, formats: NumberFormats): string => {
    if (value === null || value === undefined) return "";
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (typeof value === "number") return String(number(value, path, formats));
    if (Array.isArray(value)) return value.map((item) => show(item, path, formats)).join(", ");
    if (typeof value === "object")
      return nameOf(value as Item) ?? sanitizeLine(JSON.stringify(inJson(value, path, formats)));
    return sanitizeLine(String(value));
  };
  return {
    /** Formats a value for a table, with times in minutes. */
    human: (value: unknown, path: string) => show(value, path, { "unix-time": times.short, bytes: bytesAsText }),
    /** Formats a value for a tab-separated row, with times as RFC 3339. */
    row: (value: unknown, path: string) => show(value, path, { "unix-time": times.full }),
    time: times.short,
  };
}

/** Returns the name or title of an item, the program of a session, or the names of the flags that are true in an object of flags. */
function nameOf(item: Item): string | undefined {
  const flags = Object.entries(item);
  if (flags.length > 0 && flags.every(([, value]) => typeof value === "boolean"))
    return flags.flatMap(([name, value]) => (value ? [sanitizeLine(name)] : [])).join(", ");
  if (item.content_type === "session") return sanitizeLine(String(item.user_agent ?? "unknown program"));
  const name = item.name ?? item.title ?? (item.unit as Item | null | undefined)?.name;
  return typeof name === "string" ? sanitizeLine(name) : undefined;
}

/** Formats Unix time in a time zone: `short` to the minute, `full` with its offset (RFC 3339). */
export function timesIn(zone: string | undefined) {
  const { wall } = clockOf(zone);
  const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
  return {
    short: (seconds: number) => iso(wall(seconds)).slice(0, 16).replace("T", " "),
    full(seconds: number) {
      const shown = wall(seconds);
      const offset = shown - Math.floor(seconds) * 1000;
      const size = iso(Math.abs(offset)).slice(11, 19).replace(/:00$/, "");
      return `${iso(shown).slice(0, 19)}${offset < 0 ? "-" : "+"}${size}`;
    },
  };
}
