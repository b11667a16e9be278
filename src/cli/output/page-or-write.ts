import type { Terminal } from "../terminal/terminal.ts";

export async function pageOrWrite(text: string, terminal: Terminal): Promise<void> {
  const { env } = terminal;
  const isLong = text.split("\n").length > terminal.height;
  const hasPager = !["", "cat"].includes(env.WCS_PAGER ?? env.PAGER ?? "less") && env.TERM !== "dumb";
  if (terminal.stdoutIsTerminal && isLong && hasPager) await terminal.page(text);
  else await terminal.write(text);
}
