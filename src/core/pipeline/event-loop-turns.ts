import { setImmediate as yieldToEventLoop } from "node:timers/promises";

let last: Promise<void> = Promise.resolve();

/** Resolves in a later turn of the event loop. Each caller gets a turn of its own, so that together they do not block other work. */
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
