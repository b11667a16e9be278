import { ServiceError } from "../../../contract/errors.ts";
import { missingForMail, settings } from "../../../contract/settings.ts";
import type { OperationRun } from "../../kit/command-spec.ts";
import { noMail } from "../smtp-option.ts";

export type WelcomeRun = Pick<OperationRun, "context" | "caller">;

/** Prints a note when settings are missing without which no mail is sent, as far as the caller can read them. */
export async function noteUnsentMail({ context, caller }: WelcomeRun): Promise<void> {
  if (context.flags.dryRun) return;
  const found = await caller.call(settings.list, {}).catch((error) => {
    // The users were changed already.
    if (!(error instanceof ServiceError)) throw error;
  });
  if (found === undefined) return;
  const missing = missingForMail(found);
  if (missing.length > 0) context.terminal.note(noMail(missing));
}
