import type { Context } from "./command-spec.ts";

export const dryRunNote = "Dry run: nothing was changed.";

/** Says on stderr what a custom command has done, or would do without its --dry-run. */
export function noteDone({ terminal, flags }: Pick<Context, "terminal" | "flags">, text: string): void {
  terminal.note(`${flags.dryRun ? "Without --dry-run: " : ""}${text}`);
  if (flags.dryRun) terminal.note(dryRunNote);
}
