import type { Caller } from "../../contract/operation.ts";
import { Interrupted, UsageError } from "../errors/cli-errors.ts";
import { valueAt } from "../output/item.ts";
import type { Context, OperationCommand } from "./command-spec.ts";
import type { Input } from "./read-input.ts";

/** Asks for confirmation of a destructive command. */
export async function confirm(leaf: OperationCommand, input: Input, caller: Caller, context: Context): Promise<void> {
  const { confirm: question } = leaf;
  if (!question) return;
  await requireConfirmation(context, async () => {
    if (typeof question === "function") return question(input);
    const { about, ask } = question;
    const response: unknown = await caller.call(about, { id: input.id });
    return ask(about.item ? valueAt(response, about.item) : response);
  });
}

/**
 * Returns when the user confirms, or passed --yes or --dry-run. Throws `Interrupted` when the user declines, and a
 * `UsageError` without a terminal.
 */
export async function requireConfirmation(
  { terminal, flags }: Context,
  question: () => Promise<string>,
): Promise<void> {
  if (flags.yes || flags.dryRun) return;
  if (!terminal.interactive) {
    throw new UsageError("cannot be undone", { hint: "pass --yes to confirm" });
  }
  if (await (await terminal.ask()).confirm(terminal.sanitizeLine(await question()))) return;
  terminal.note("Nothing was changed.");
  throw new Interrupted();
}
