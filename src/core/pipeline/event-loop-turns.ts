import { setImmediate as yieldToEventLoop } from "node:timers/promises";

let last: Promise<void> = Promise.resolve();

/** Resolves after a turn of the event loop for other work. Callers get separate turns, so that they do not fill one together. */
export function takeTurn(): Promise<void> {
  last = last.then(() => yieldToEventLoop());
  return last;
}

/** Yields portions of a list, with a turn between two of them. */
export async function* inTurns<T>(list: readonly T[], size: number): AsyncGenerator<T[]> {
  for (let at = 0; at < list.length; at += size) {
    if (at > 0) await takeTurn();
    yield list.slice(at, at + size);
  }
}
