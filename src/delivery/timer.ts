/** Milliseconds as timers take them: a longer time, or one without end, would be none at all. */
export function timerFor(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 0), 2 ** 31 - 1);
}
