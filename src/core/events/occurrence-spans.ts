const hour = 3600;
const day = 24 * hour;

/**
 * Maximum duration in seconds of each class of occurrences. A running occurrence cannot have started earlier than the
 * duration of its class ago, so few rows have to be checked: year-long events do not make every search go back a year.
 */
export const spans: readonly number[] = [2 * hour, 12 * hour, 36 * hour, 12 * day, 96 * day, Number.MAX_SAFE_INTEGER];

/** Classes above this one are searched separately; shorter occurrences are found among those that started recently. */
export const lastShortSpan = 1;

export function spanOf(seconds: number): number {
  return spans.findIndex((longest) => seconds <= longest);
}
