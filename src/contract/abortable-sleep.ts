/** Limits milliseconds to the maximum of timers; a longer or infinite delay would end at once. */
export function timerFor(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 0), 2 ** 31 - 1);
}

/** Waits until the time is over or the signal aborts, also in browsers. Tests cannot replace the timer of node:timers/promises. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, timerFor(milliseconds));
    if (signal?.aborted) done();
    signal?.addEventListener("abort", done);
  });
}
