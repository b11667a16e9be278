/** Maximum milliseconds of a timer. A longer or infinite delay would end at once. */
export const maxTimerDelay = 2 ** 31 - 1;

/** Waits until the time is over or the signal aborts, also in browsers. Tests cannot replace the timer of node:timers/promises. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(milliseconds, maxTimerDelay));
    if (signal?.aborted) done();
    signal?.addEventListener("abort", done);
  });
}
