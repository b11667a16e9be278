import { settings } from "../../../contract/settings.ts";
import { unlessForbidden } from "../../errors/unless-forbidden.ts";
import type { OperationRun } from "../../kit/command-spec.ts";
import { noMail } from "../serve/smtp-option.ts";

export interface WelcomeRun extends Pick<OperationRun, "context" | "caller"> {
  readonly input: object;
}

/** Prints a note when settings are missing without which no mail is sent, as far as the caller may read them. */
export async function noteUnsentMail({ input, context, caller }: WelcomeRun): Promise<void> {
  if (context.flags.dryRun || ("welcome" in input && input.welcome === false)) return;
  const found = await unlessForbidden(caller.call(settings.list, {}));
  if (found === undefined) return;
  const missing = (["mail.smtp_url", "mail.from"] as const).filter((key) => found[key] === null);
  if (missing.length > 0) context.terminal.note(noMail(missing));
}
