/** Limits milliseconds to the maximum of timers; a longer or infinite delay would end at once. */
export function timerFor(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 0), 2 ** 31 - 1);
}
