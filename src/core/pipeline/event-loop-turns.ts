import { setImmediate as yieldToEventLoop } from "node:timers/promises";

let last: Promise<void> = Promise.resolve();

/** Resolves after a turn of the event loop for other work. Callers get separate turns, so that they do not fill one together. */
export function takeTurn(): Promise<void> {
  last = last.then(() => yieldToEventLoop());
  return last;
}
