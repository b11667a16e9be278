import { parseDateTime } from "../../contract/date-time.ts";
import { UsageError } from "../errors/cli-errors.ts";
import { clockOf, dayLength, dayOf } from "./zone-clock.ts";

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Parses a duration into seconds: `90`, `90s`, `5m`, `2h`, `7d`, `1w`. */
export function readDuration(text: string, flag: string): number {
  const [, count = "", unit = "s"] = /^(\d+(?:\.\d+)?)\s*([smhdw])?$/.exec(text.trim()) ?? [];
  const length = Number(count) * (seconds[unit] ?? Number.NaN);
  if (count === "" || !(length > 0 && length <= 366 * 86_400)) {
    throw new UsageError(`${flag} must be a duration like 60s, 5m or 2h, not '${text}'`);
  }
  return length;
}

/** Parses Unix seconds, RFC 3339, `YYYY-MM-DD[ HH:MM[:SS]]` in the zone, `tomorrow 14:00`, `+2h` or `-7d` into Unix seconds. */
export async function readTime(text: string, flag: string, zone?: string, now = Date.now()): Promise<number> {
  return (await parse(text, flag, { zone, now })) ?? refuse(text, flag);
}

/** Parses the last moment of a period, in the past or with `isAhead` in the future. A day stands for its last second. */
export async function readPeriodEnd(
  text: string,
  flag: string,
  { zone, now = Date.now(), isAhead }: Partial<Reading>,
): Promise<number> {
  return (await parse(text, flag, { zone, now, isAhead, isEnd: true })) ?? refuse(text, flag);
}

interface Ahead {
  readonly zone?: string;
  /** Unix time that `+90m` and `15:00` are relative to; default: now. */
  readonly after?: number;
  readonly now?: number;
}

/** Returns true for a time of day without a day: `9:30`, `3pm`. */
export const isTimeOfDay = (text: string): boolean => /^\d{1,2}(:\d{2}|\s*[ap]m)$/i.test(text.trim());

/** Parses a time in the future: `friday 9:00` is the next Friday. */
export async function readTimeAhead(text: string, flag: string, ahead: Ahead): Promise<number> {
  const { zone, after, now = Date.now() } = ahead;
  const given = text.trim();
  if (after !== undefined && /^\+\d+(\.\d+)?[smhdw]$/.test(given)) {
    return after + Math.round(readDuration(given.slice(1), flag));
  }
  if (after !== undefined && isTimeOfDay(given)) {
    const clock = clockOf(zone);
    const { wall } = (await fromWords(given, { zone, now: after * 1000 })) ?? refuse(text, flag);
    return clock.instant(clock.instant(wall) < after ? wall + dayLength : wall);
  }
  return (await parse(text, flag, { zone, now, isAhead: true })) ?? refuse(text, flag);
}

/** Parses a day into YYYY-MM-DD. Accepts that format and words like `tomorrow`; `24 december` is the next one. */
export async function readDay(text: string, flag: string, zone?: string, now = Date.now()): Promise<string> {
  const given = text.trim();
  const exact = /^\d{4}-\d{2}-\d{2}$/.test(given);
  if (exact && wallOf(given) !== undefined) return given;
  const found = exact ? undefined : await fromWords(given, { zone, now, isAhead: true });
  if (found === undefined) throw new UsageError(`${flag} must be a day like 2026-12-31 or 'tomorrow', not '${text}'`);
  return dayOf(found.wall);
}

interface Reading {
  readonly zone: string | undefined;
  readonly now: number;
  readonly isAhead?: boolean;
  readonly isEnd?: true;
}

interface WallTime {
  /** Milliseconds, as if it were UTC. */
  readonly wall: number;
  /** True without a time of day; `wall` is then the start of the day. */
  readonly isDay: boolean;
}

async function parse(text: string, flag: string, reading: Reading): Promise<number | undefined> {
  const { zone, now, isEnd } = reading;
  const given = text.trim();
  if (/^\d{1,12}$/.test(given)) return Number(given);
  if (/^[+-]\d+(\.\d+)?[smhdw]$/.test(given)) {
    const away = readDuration(given.slice(1), flag);
    return Math.floor(now / 1000) + Math.round(given.startsWith("-") ? -away : away);
  }
  if (/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})$/.test(given)) {
    return parseDateTime(given);
  }
  const [isLocal, time] = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?$/.exec(given) ?? [];
  const { wall, isDay } = isLocal
    ? { wall: wallOf(given), isDay: time === undefined }
    : ((await fromWords(given, reading)) ?? {});
  if (wall === undefined) return undefined;
  const { instant } = clockOf(zone);
  return isEnd && isDay ? instant(wall + dayLength) - 1 : instant(wall);
}

function refuse(text: string, flag: string): never {
  const given = text.trim();
  const isUnsigned = /^\d+(\.\d+)?[smhdw]$/.test(given);
  throw new UsageError(
    `${flag} must be a time like 2026-12-31, '2026-12-31 14:00', -2h or 'tomorrow 14:00', not '${text}'`,
    { hint: isUnsigned ? `write -${given} for the past, +${given} for the future` : undefined },
  );
}

/** Parses `YYYY-MM-DD[ HH:MM[:SS]]` as UTC milliseconds; undefined when there is no such time. */
function wallOf(text: string): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = text.split(/[-T :]/).map(Number);
  const wall = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  // Date.UTC turns 30 February into a day in March, and a 13th month into the next year.
  const isDay = wall.getUTCMonth() === month - 1 && wall.getUTCDate() === day;
  return isDay && hour < 24 && minute < 60 && second < 60 ? wall.getTime() : undefined;
}

/** Returns true for 02.03., which is in February in some countries, and in March in others. */
export function isAmbiguousDay(text: string): boolean {
  const [, first, second] = /\b(\d{1,2})[./](\d{1,2})\b/.exec(text) ?? [];
  return first !== second && Number(first) <= 12 && Number(second) <= 12;
}

/** Parses words and local forms; undefined when they are no time, or could be two. */
export async function fromWords(text: string, { zone, now, isAhead }: Reading): Promise<WallTime | undefined> {
  if (isAmbiguousDay(text)) return undefined;
  const chrono = await import("chrono-node");
  // Chrono gets the zone's wall time as UTC, so that only this module handles clock changes.
  const reference = { instant: new Date(clockOf(zone).wall(Math.floor(now / 1000))), timezone: 0 };
  const [found] = chrono.parse(text, reference, { forwardDate: isAhead === true });
  if (found?.text.length !== text.length) return undefined;
  const wall = found.start.date().getTime();
  const isDay = !saysTime(text, found.start.isCertain("hour"));
  return { wall: isDay ? wall - (wall % dayLength) : wall, isDay };
}

/** Returns whether the text has a time of day. Chrono fills in the current time, or noon, when it does not. */
const saysTime = (text: string, isCertain: boolean) =>
  isCertain || /\b(ago|in|morning|noon|afternoon|evening|night|tonight|midnight)\b/i.test(text);
