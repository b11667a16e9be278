import { UsageError } from "./failure.ts";

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** A length of time in seconds: `90`, `90s`, `5m`, `2h`, `7d`, `1w`. */
export function readDuration(text: string, flag: string): number {
  const [, count = "", unit = "s"] = /^(\d+(?:\.\d+)?)\s*([smhdw])?$/.exec(text.trim()) ?? [];
  const length = Number(count) * (seconds[unit] ?? Number.NaN);
  if (count === "" || !(length > 0 && length <= 366 * 86_400)) {
    throw new UsageError(`${flag} must be a length of time like 60s, 5m or 2h, not '${text}'`);
  }
  return length;
}

/**
 * A point in time as Unix seconds: such seconds, RFC 3339, `YYYY-MM-DD[ HH:MM[:SS]]` or words like `tomorrow 14:00` in
 * the zone (default: that of the machine), or from now: `+2h`, `-7d`.
 */
export async function readTime(text: string, flag: string, zone?: string, now = Date.now()): Promise<number> {
  const given = text.trim();
  if (/^\d{1,12}$/.test(given)) return Number(given);
  if (/^[+-]\d+(\.\d+)?[smhdw]$/.test(given)) {
    const away = readDuration(given.slice(1), flag);
    return Math.floor(now / 1000) + Math.round(given.startsWith("-") ? -away : away);
  }
  if (/^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})$/.test(given)) {
    const instant = Date.parse(given.replace(" ", "T"));
    if (!Number.isNaN(instant)) return Math.floor(instant / 1000);
  }
  const local = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(given);
  if (local) {
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = local
      .slice(1)
      .map((part) => Number(part ?? 0));
    const wall = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
    // 30 February would silently become a day in March.
    if (wall.getUTCDate() === day && hour < 24 && minute < 60 && second < 60) return instantOf(wall.getTime(), zone);
  } else {
    const wall = await fromWords(given, zone, now);
    if (wall !== undefined) return instantOf(wall, zone);
  }
  throw new UsageError(
    `${flag} must be a time like 2026-12-31, '2026-12-31 14:00', -2h or 'tomorrow 14:00', not '${text}'`,
  );
}

/** What the clocks of the zone show, as if it were UTC, in milliseconds. */
function wallOf(instant: number, zone: string | undefined): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(instant);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
}

/** When the clocks of the zone show `wall`, in Unix seconds; of a time that a change of clocks skips, an hour later. */
function instantOf(wall: number, zone: string | undefined): number {
  const guess = wall - (wallOf(wall, zone) - wall);
  const offset = wallOf(guess, zone) - guess;
  return Math.floor((wall - offset) / 1000);
}

async function fromWords(text: string, zone: string | undefined, now: number): Promise<number | undefined> {
  const chrono = await import("chrono-node");
  // Chrono is told that the clocks of the zone are those of UTC, so that changes of the clocks are ours alone.
  const reference = { instant: new Date(wallOf(now, zone)), timezone: 0 };
  const [found] = chrono.parse(text, reference, { forwardDate: false });
  return found && found.text.length === text.length ? found.start.date().getTime() : undefined;
}
