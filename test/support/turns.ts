import { setImmediate as nextTurn } from "node:timers/promises";

/** Returns the number of turns of the event loop until the work is done, in each of which other work could run. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const end = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTurn();
    turns += 1;
  }
  await end;
  return turns;
}
