import type { Rule } from "../contract/event-forms.ts";

/** The parts of a rule by which days are chosen; an empty list: any. */
export interface Choice {
  readonly freq: Rule["freq"];
  readonly months: readonly number[];
  /** From the end of the month if negative. */
  readonly monthDays: readonly number[];
  /** How many weekdays are named. */
  readonly weekdays: number;
  /** From the end of the period if negative. */
  readonly positions: readonly number[];
}

const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns false for a rule that names no day of any year, without looking for one. */
export function isPossible(choice: Choice): boolean {
  const { months, monthDays, positions } = choice;
  const longest = Math.max(...(months.length > 0 ? months : [1]).map((month) => longestMonths[month - 1]!));
  if (monthDays.length > 0 && monthDays.every((day) => Math.abs(day) > longest)) return false;
  const most = mostDaysInPeriod(choice);
  return positions.length === 0 || positions.some((position) => Math.abs(position) <= most);
}

/** Returns an upper bound for the days that the rule has to choose from by position. */
function mostDaysInPeriod({ freq, months, monthDays, weekdays }: Choice): number {
  switch (freq) {
    case "daily":
      return 1;
    case "weekly":
      return weekdays || 1;
    case "monthly":
      return monthDays.length || 31;
    case "yearly":
      return monthDays.length * (months.length || 12) || 366;
  }
}
