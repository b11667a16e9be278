import type { Item } from "./paging.ts";
import { oneLine } from "./plain.ts";

/** How values are shown to people, and in rows of text. */
export interface Cells {
  /** For eyes: yes and no, times of day. */
  human(value: unknown, path: string): string;
  /** For rows divided by tabs: the same, but times with their offset. */
  row(value: unknown, path: string): string;
}

/** Fields that hold a time, by their names; so does the contract name them. */
const isTime = (path: string, value: unknown): value is number =>
  typeof value === "number" && /(^|[._])(at|on|date|expires|until|start|end)$/.test(path) && value > 100_000_000;

export function createCells(zone: string | undefined): Cells {
  const times = timesIn(zone);
  const show = (value: unknown, path: string, time: (seconds: number) => string): string => {
    if (value === null || value === undefined) return "";
    if (typeof value === "boolean") return value ? "yes" : "no";
    if (isTime(path, value)) return time(value);
    if (Array.isArray(value)) return value.map((item) => show(item, path, time)).join(", ");
    if (typeof value === "object") return nameOf(value as Item) ?? oneLine(JSON.stringify(value));
    return oneLine(String(value));
  };
  return {
    human: (value, path) => show(value, path, times.short),
    row: (value, path) => show(value, path, times.full),
  };
}

/** What a person calls a thing. */
function nameOf(item: Item): string | undefined {
  const name = item.name ?? item.title ?? (item.unit as Item | null | undefined)?.name;
  return typeof name === "string" ? oneLine(name) : undefined;
}

/** Points in time, given in Unix seconds, as the clocks of the zone show them: for eyes, and with their offset (RFC 3339). */
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
