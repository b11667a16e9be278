import { expect } from "vitest";
import type { TmuxTerminal } from "./tmux.ts";

/** A question, what is typed, and the choice that must be marked before Enter. */
export type Step = readonly [question: string, typed?: string, marked?: string];

/** Returns whether a command line has ended and the shell waits for the next: the screen does not change any more. */
export const hasEnded = (text: string): boolean => /^exit \d+\nREADY>$/m.test(text);

/** Answers the questions of a command line, and returns what is on the screen when it has ended. */
export async function answer(terminal: TmuxTerminal, line: string, steps: readonly Step[]): Promise<string> {
  terminal.run(`${line}; echo "exit $?"`);
  await answerSteps(terminal, steps);
  const screen = await terminal.until(hasEnded);
  expect(terminal.hasCursor(), "the cursor is visible").toBe(true);
  return screen;
}

/** Interrupts a command line at a question, after the answers to those before it, and returns what is on the screen. */
export async function interrupt(
  terminal: TmuxTerminal,
  line: string,
  question: string,
  before: readonly Step[] = [],
): Promise<string> {
  terminal.run(`${line}; echo "exit $?"`);
  await answerSteps(terminal, before);
  await terminal.until((text) => text.includes(question));
  terminal.keys("C-c");
  const screen = await terminal.until(hasEnded);
  expect(screen).toMatch(/^exit 130$/m);
  expect(terminal.hasCursor()).toBe(true);
  // The terminal echoes input again.
  terminal.keys("-l", "echo typed");
  await terminal.until((text) => text.endsWith("READY> echo typed"));
  terminal.keys("Enter");
  await terminal.until((text) => /^typed$/m.test(text));
  return screen;
}

async function answerSteps(terminal: TmuxTerminal, steps: readonly Step[]): Promise<void> {
  for (const [question, typed = "", marked] of steps) {
    await terminal.until((text) => text.includes(question));
    if (typed !== "") terminal.keys("-l", typed);
    if (marked !== undefined) {
      // Enter is ignored while choices are searched, which a turning sign in place of the question mark shows: a little after a key.
      let before = "";
      await terminal.until((text) => {
        const lines = text.split("\n");
        const isMarked = lines.some((each) => each.includes("❯") && each.includes(marked));
        const isSettled = text === before && lines.some((each) => each.startsWith("?") && each.includes(question));
        before = text;
        return isMarked && isSettled;
      });
    }
    terminal.keys("Enter");
  }
}
