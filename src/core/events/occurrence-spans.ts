const hour = 3600;
const day = 24 * hour;

/** Longest durations of classes of occurrences, in seconds. Running ones of a class have started at most so long ago. */
export const spans: readonly number[] = [2 * hour, 12 * hour, 36 * hour, 12 * day, 96 * day, Number.MAX_SAFE_INTEGER];

/** Classes above this one are searched separately; shorter occurrences are found among those that started recently. */
export const lastShortSpan = 1;

export function spanOf(seconds: number): number {
  return spans.findIndex((longest) => seconds <= longest);
}
