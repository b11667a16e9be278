import { lineOf } from "../terminal/shell-words.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Returns the flag and the value as the words of a command line. A value that is read from a file elsewhere is escaped. */
export const flagWords = (flag: string, value: string): string[] => [flag, value.startsWith("@") ? `@${value}` : value];

/** Shows the command line that gives the answers at once; nothing if one is `-`, which stands for stdin there. */
export function showLine(
  path: readonly string[],
  rest: readonly string[],
  asked: readonly string[],
  terminal: Terminal,
): void {
  if (asked.length === 0 || asked.includes("-")) return;
  const end = rest.indexOf("--");
  const words = end < 0 ? [...rest, ...asked] : [...rest.slice(0, end), ...asked, ...rest.slice(end)];
  terminal.note(`As one command: ${lineOf([...path, ...words])}`);
}
