import { listFirst } from "../../contract/count-text.ts";
import type { Terminal } from "../terminal/terminal.ts";

const maxNamed = 20;

/** Notes which users of a file are deactivated, because the result does not show that they cannot sign in. */
export function noteDeactivated(users: ReadonlySet<number>, advice: string, terminal: Terminal): void {
  if (users.size === 0) return;
  const ids = listFirst([...users], maxNamed);
  const who = users.size === 1 ? "1 user in the file is" : `${users.size} users in the file are`;
  terminal.note(`${who} deactivated and will not be reactivated: ${ids}. To reactivate, ${advice}.`);
}
