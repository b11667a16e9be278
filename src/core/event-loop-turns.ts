import { setImmediate as nextTurn } from "node:timers/promises";

let last: Promise<void> = Promise.resolve();

/**
 * Resolves after the event loop took a turn for everything else. All who wait get turns of their own, in order: those that
 * merely wait for the next turn would run one after the other in it, and together hold up the rest.
 */
export function takeTurn(): Promise<void> {
  last = last.then(() => nextTurn());
  return last;
}
