import { setImmediate as yieldToEventLoop } from "node:timers/promises";

let last: Promise<void> = Promise.resolve();

/**
 * Resolves after the event loop has had a turn for other work. Callers get separate turns, in order: if they all waited
 * for the same next turn, they would run one after the other in it and block everything else.
 */
export function takeTurn(): Promise<void> {
  last = last.then(() => yieldToEventLoop());
  return last;
}
