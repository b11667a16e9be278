import type { Terminal } from "../terminal/terminal.ts";

/** Writes text to stdout, through the pager when it is longer than the screen. */
export async function pageOrWrite(text: string, terminal: Terminal): Promise<void> {
  const { env } = terminal;
  const isLong = text.split("\n").length > terminal.height;
  const hasPager = !["", "cat"].includes(env.WCS_PAGER ?? env.PAGER ?? "less") && env.TERM !== "dumb";
  if (terminal.stdoutIsTerminal && isLong && hasPager) await terminal.page(text);
  else await terminal.write(text);
}
