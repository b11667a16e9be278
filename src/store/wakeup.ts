/** Limits milliseconds to the maximum of timers; a longer or infinite delay would end at once. */
export function timerDelay(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 0), 2 ** 31 - 1);
}

/** Ends a pause. Remembers being raised while nobody waits. */
export class Wakeup {
  #raised = false;
  #wake = () => {};

  raise(): void {
    this.#raised = true;
    this.#wake();
  }

  clear(): void {
    this.#raised = false;
  }

  /** Resolves when raised, at once if that was since `clear`, or after some milliseconds. */
  async wait(milliseconds: number): Promise<void> {
    if (this.#raised) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timerDelay(milliseconds));
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
