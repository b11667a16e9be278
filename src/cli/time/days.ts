import { dayLength, dayOf } from "./zone-clock.ts";

// Days are YYYY-MM-DD; weeks begin on Monday (ISO 8601).

const at = (day: string): Date => new Date(`${day}T00:00Z`);

export const addDays = (day: string, count: number): string => dayOf(at(day).getTime() + count * dayLength);

export const daysBetween = (from: string, to: string): number => (at(to).getTime() - at(from).getTime()) / dayLength;

/** Returns 0 for Monday to 6 for Sunday. */
export const weekdayOf = (day: string): number => (at(day).getUTCDay() + 6) % 7;

export const mondayOf = (day: string): string => addDays(day, -weekdayOf(day));

/** Returns the ISO 8601 week number: the week belongs to the year of its Thursday. */
export function weekOf(day: string): number {
  const thursday = addDays(mondayOf(day), 3);
  return Math.floor(daysBetween(`${thursday.slice(0, 4)}-01-01`, thursday) / 7) + 1;
}

export const dayOfMonth = (day: string): number => Number(day.slice(8));

/** Returns 0 to 11. */
export const monthOf = (day: string): number => Number(day.slice(5, 7)) - 1;

export const firstOfMonth = (day: string): string => `${day.slice(0, 7)}-01`;

export function lastOfMonth(day: string): string {
  const date = at(firstOfMonth(day));
  date.setUTCMonth(date.getUTCMonth() + 1, 0);
  return dayOf(date.getTime());
}
