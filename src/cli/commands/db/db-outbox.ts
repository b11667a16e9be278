import { missingForMail } from "../../../contract/settings.ts";
import { createService } from "../../../core/service.ts";
import { listOutbox } from "../../../delivery/delivery.ts";
import type { Context } from "../../kit/command-spec.ts";
import { createOutput } from "../../output/create-output.ts";
import { openWithKey } from "../../session/open-with-key.ts";
import { noMail } from "../serve/smtp-option.ts";
import { databaseOf, withDatabase } from "./db-target.ts";

/** In the order of their weight: narrow windows show the first ones. */
const columns = ["what", "id", "failed", "kind", "due_at", "attempts", "error", "to", "created_at"] as const;

export async function outbox(context: Context, max: number): Promise<void> {
  const { terminal } = context;
  await withDatabase(context, openWithKey(databaseOf(context), terminal.env), async (database) => {
    const items = await listOutbox(database, max);
    await createOutput<(typeof items)[number]>(
      { columns, formats: { created_at: "unix-time", due_at: "unix-time" }, items: "callbacks or mails" },
      context,
    ).all(items);
    const settings = await createService({ database, environment: terminal.env }).settings();
    const missing = missingForMail(settings);
    if (items.some(({ what }) => what === "mail") && missing.length > 0) {
      terminal.note(noMail(missing));
    }
  });
}
