import { pluralize } from "../../../contract/count-text.ts";
import { missingForMail } from "../../../contract/settings.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { limitHeap } from "../../file-io/heap-limit.ts";
import type { Context } from "../../kit/command-spec.ts";
import { noteDone } from "../../kit/note-done.ts";
import { createDeliveryEngine } from "../../session/open-caller.ts";
import { openWithKey } from "../../session/open-with-key.ts";
import { findTarget } from "../../session/target.ts";
import { withDatabase } from "../../session/with-database.ts";
import { environmentWithSmtp, noMail } from "../smtp-option.ts";

const countOf = (callbacks: number, mails: number): string =>
  `${pluralize(callbacks, "callback")}, ${pluralize(mails, "mail")}`;

export async function deliver(context: Context): Promise<void> {
  const { terminal, globals, flags } = context;
  const environment = environmentWithSmtp(terminal.env, flags);
  const target = findTarget(globals, terminal.env);
  if (target.remote)
    throw new UsageError("wcs webhooks deliver needs a database, not the URL of an instance", {
      hint: "an instance delivers by itself; use --db",
    });
  const { createService } = await import("../../../core/service.ts");
  await withDatabase(context, openWithKey(target.address, terminal.env), async (database) => {
    const service = createService({ database, environment });
    limitHeap();
    const engine = await createDeliveryEngine(database, service, terminal);
    const before = await engine.waiting();
    const missing = before.mails > 0 ? missingForMail(await service.settings()) : [];
    if (flags.dryRun) noteDone(context, `Sent ${countOf(before.due, missing.length > 0 ? 0 : before.mails)}.`);
    else {
      const after = await engine.drain({ maxSeconds: Number.POSITIVE_INFINITY });
      const waiting = countOf(after.due + after.later, after.mails);
      terminal.note(`To send: ${countOf(before.due, before.mails)}. Still waiting: ${waiting}.`);
    }
    if (missing.length > 0) terminal.note(noMail(missing));
  });
}
