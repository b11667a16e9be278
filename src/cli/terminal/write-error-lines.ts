import { sanitizeLine } from "./sanitize.ts";
import type { Terminal } from "./terminal.ts";

/** Writes lines to stderr, sanitized, also with --quiet. */
export const writeErrorLines = (lines: readonly string[], terminal: Terminal): void =>
  terminal.writeError(lines.map((line) => `${sanitizeLine(line)}\n`).join(""));
