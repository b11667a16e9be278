import { sanitizeLine } from "../terminal/sanitize.ts";
import type { Item } from "./item.ts";

/** Formats values for tables and for rows of text. */
export interface Cells {
  /** Formats a value for a table, with times in minutes. */
  human(value: unknown, path: string): string;
  /** Formats a value for a tab-separated row, with times as RFC 3339. */
  row(value: unknown, path: string): string;
  /** Formats Unix time for a table. */
  time(seconds: number): string;
}

/** Formats values; `isTime` tells by the path which fields hold Unix time. */
export function createCells(zone: string | undefined, isTime: (path: string) => boolean): Cells {
  const times = timesIn(zone);
  const show = (value: unknown, path: string, time: (seconds: number) => string): string => {
    if (value === null || value === undefined) return "";
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (typeof value === "number" && isTime(path)) return time(value);
    if (Array.isArray(value)) return value.map((item) => show(item, path, time)).join(", ");
    if (typeof value === "object") return nameOf(value as Item) ?? sanitizeLine(JSON.stringify(value));
    return sanitizeLine(String(value));
  };
  return {
    human: (value, path) => show(value, path, times.short),
    row: (value, path) => show(value, path, times.full),
    time: times.short,
  };
}

/** Returns the name or the title of an item. */
function nameOf(item: Item): string | undefined {
  const name = item.name ?? item.title ?? (item.unit as Item | null | undefined)?.name;
  return typeof name === "string" ? sanitizeLine(name) : undefined;
}

/** Formats Unix time in a time zone: `short` to the minute, `full` with its offset (RFC 3339). */
export function timesIn(zone: string | undefined) {
  let format: Intl.DateTimeFormat | undefined;
  const parts = (seconds: number) => {
    format ??= new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
      timeZoneName: "longOffset",
    });
    return Object.fromEntries(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]));
  };
  return {
    short(seconds: number) {
      const { year, month, day, hour, minute } = parts(seconds);
      return `${year}-${month}-${day} ${hour}:${minute}`;
    },
    full(seconds: number) {
      const { year, month, day, hour, minute, second, timeZoneName } = parts(seconds);
      const offset = timeZoneName === "GMT" ? "Z" : timeZoneName!.replace("GMT", "");
      return `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`;
    },
  };
}
