import type { Caller } from "../../contract/operation.ts";
import { Interrupted, UsageError } from "../errors/cli-errors.ts";
import { valueAt } from "../output/item.ts";
import { readConfig } from "../session/config.ts";
import { findTarget, shownAddress } from "../session/target.ts";
import type { Globals } from "../terminal/global-options.ts";
import { sanitizeLine } from "../terminal/sanitize.ts";
import type { Context, OperationCommand } from "./command-spec.ts";
import type { Input } from "./read-input.ts";

/** Asks the question of a command, if it has one. `shown` is the input for messages. */
export async function confirm(
  { confirm: question, reversible }: OperationCommand,
  { input, shown }: { readonly input: Input; readonly shown: Input },
  caller: Caller,
  context: Context,
): Promise<void> {
  if (!question) return;
  const ask = async () => {
    if (typeof question === "function") return question(shown);
    const { about, key, ask: askAbout } = question;
    const response: unknown = await caller.call(about, { id: input[key] });
    return askAbout(about.item ? valueAt(response, about.item) : response, input, shown);
  };
  await requireConfirmation(context, ask, reversible ? "needs a confirmation" : undefined);
}

/** Returns when the user confirms, or passed --yes or --dry-run. Without a terminal, `reason` is the error. */
export async function requireConfirmation(
  context: Context,
  question: () => Promise<string>,
  reason = "cannot be undone",
): Promise<void> {
  const { terminal, flags } = context;
  if (flags.yes || flags.dryRun) return;
  if (!terminal.interactive) {
    throw new UsageError(reason, { hint: "pass --yes to confirm" });
  }
  if (await askOnTarget(context, await question())) return;
  terminal.note("Nothing was changed.");
  throw new Interrupted();
}

/** Asks a question. With several profiles it begins with the target, because the user may have another one in mind. */
export async function askOnTarget({ terminal, globals }: Context, question: string): Promise<boolean> {
  const place = placeAmongProfiles(globals, terminal.env);
  return (await terminal.ask()).confirm(sanitizeLine(`${place && `[${place}] `}${question}`));
}

/** Returns "" when there are not several profiles, or they cannot be read: a database given by its path needs none. */
function placeAmongProfiles(globals: Globals, env: NodeJS.ProcessEnv): string {
  try {
    const config = readConfig(env);
    if (Object.keys(config.profiles).length < 2) return "";
    const target = findTarget(globals, env, config);
    return target.profile?.name ?? shownAddress(target);
  } catch {
    return "";
  }
}
