import type { Terminal } from "../terminal/terminal.ts";

/** Writes text to stdout, through the pager when it is longer than the screen. */
export async function pageOrWrite(text: string, terminal: Terminal): Promise<void> {
  const isLong = text.split("\n").length > terminal.height;
  if (terminal.stdoutIsTerminal && isLong && hasPager(terminal.env)) await terminal.page(text);
  else await terminal.write(text);
}

/** Returns false when the pager variable is empty or `cat`, or the terminal cannot page. */
function hasPager(env: NodeJS.ProcessEnv): boolean {
  return !["", "cat"].includes(env.WCS_PAGER ?? env.PAGER ?? "less") && env.TERM !== "dumb";
}
