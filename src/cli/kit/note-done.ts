import type { Context } from "./command-spec.ts";

export const dryRunNote = "Dry run: nothing was changed.";

/** Notes on stderr the change that a custom command made, or would make without --dry-run. */
export function noteDone({ terminal, flags }: Pick<Context, "terminal" | "flags">, text: string): void {
  terminal.note(`${flags.dryRun ? "Without --dry-run: " : ""}${text}`);
  if (flags.dryRun) terminal.note(dryRunNote);
}
