import { maxOccurrences, maxYears, monthLengths } from "../../../contract/event-schemas.ts";
import type { RuleParts } from "../../../contract/rrule-text.ts";
import { daysByRule } from "./rule-days.ts";

export interface RecurrenceRule {
  readonly parts: RuleParts;
  readonly count: number | null;
  readonly last: string | null;
}

export const neverHappens = `never happens within ${maxYears} years of the start`;

/**
 * Returns the first day and all days that any rule selects, in order: at most 730, within five years. `never` holds the
 * indexes of rules that select no day. The first day counts as an occurrence of each rule, even if the rule does not
 * select it (RFC 5545, 3.3.10, COUNT).
 */
export async function expandRules(first: string, rules: readonly RecurrenceRule[]) {
  const { Temporal } = await import("temporal-polyfill");
  const start = Temporal.PlainDate.from(first);
  const furthest = start.add({ years: maxYears });
  const searches = rules.map(({ parts, count, last }) => {
    const end = last !== null && last < furthest.toString() ? Temporal.PlainDate.from(last) : furthest;
    return { months: daysByRule(parts, start, end), found: false, ended: false, left: (count ?? maxOccurrences) - 1 };
  });
  const days = new Set([first]);
  for (let running = searches; running.length > 0; ) {
    // Once there are enough days, later ones are not needed: only rules without any day so far are searched further.
    const enough = days.size >= maxOccurrences;
    for (const search of running) {
      const { value = [], done = false } = await search.months.next();
      const again = value.filter((day) => day !== first).slice(0, search.left);
      search.found ||= value.length > 0;
      search.left -= again.length;
      search.ended = done || (search.found && search.left === 0);
      if (!enough) for (const day of again) days.add(day);
    }
    running = running.filter(({ ended, found }) => !ended && (days.size < maxOccurrences || !found));
  }
  const never = searches.flatMap(({ found }, index) => (found ? [] : [index]));
  return { days: [...days].sort().slice(0, maxOccurrences), never };
}

/** Returns false for a rule that matches no day of any year, without searching for one. */
export function isPossible(parts: RuleParts): boolean {
  const values = (name: string) => parts.get(name)?.split(",") ?? [];
  const numbers = (name: string) => values(name).map(Number);
  const [months, monthDays, positions] = [numbers("BYMONTH"), numbers("BYMONTHDAY"), numbers("BYSETPOS")];
  const longest = Math.max(...(months.length > 0 ? months : [1]).map((month) => monthLengths[month - 1] ?? 31));
  if (monthDays.length > 0 && monthDays.every((day) => Math.abs(day) > longest)) return false;
  // Upper bounds for the number of days in a period from which positions select.
  const max: Readonly<Record<string, number>> = {
    DAILY: 1,
    WEEKLY: new Set(values("BYDAY")).size || 1,
    MONTHLY: monthDays.length || 31,
    YEARLY: monthDays.length * (months.length || 12) || 366,
  };
  const bound = max[parts.get("FREQ") ?? ""] ?? 0;
  return positions.length === 0 || positions.some((position) => Math.abs(position) <= bound);
}
