import type { Rule } from "../../contract/event-schemas.ts";

/** The parts of a rule that select days; an empty list selects all. */
export interface Choice {
  readonly freq: Rule["freq"];
  readonly months: readonly number[];
  /** Negative numbers count from the end of the month. */
  readonly monthDays: readonly number[];
  /** Number of weekdays in the rule. */
  readonly weekdays: number;
  /** Negative numbers count from the end of the period. */
  readonly positions: readonly number[];
}

const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns false for a rule that matches no day of any year, without searching for one. */
export function isPossible(choice: Choice): boolean {
  const { months, monthDays, positions } = choice;
  const longest = Math.max(...(months.length > 0 ? months : [1]).map((month) => longestMonths[month - 1]!));
  if (monthDays.length > 0 && monthDays.every((day) => Math.abs(day) > longest)) return false;
  const most = mostDaysInPeriod(choice);
  return positions.length === 0 || positions.some((position) => Math.abs(position) <= most);
}

/** Returns an upper bound for the number of days in a period from which `positions` select. */
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
