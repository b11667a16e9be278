const hour = 3600;
const day = 24 * hour;

/**
 * Lengths of occurrences in seconds, by class: whatever is of a class lasts at most so long. What is running now began
 * within the length of its class, so few have to be looked at: a voyage of a year does not make one look at a year.
 */
export const spans: readonly number[] = [2 * hour, 12 * hour, 36 * hour, 12 * day, 96 * day, Number.MAX_SAFE_INTEGER];

/** The classes above this one are kept apart; what is of the others can be found among all that begins. */
export const lastShortSpan = 1;

/** The class of what lasts so many seconds. */
export function spanOf(seconds: number): number {
  return spans.findIndex((longest) => seconds <= longest);
}
