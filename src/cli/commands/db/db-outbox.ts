import { missingForMail } from "../../../contract/settings.ts";
import { createService } from "../../../core/service.ts";
import { listOutbox } from "../../../delivery/delivery.ts";
import type { Context } from "../../kit/command-spec.ts";
import { createOutput } from "../../output/create-output.ts";
import { openWithKey } from "../../session/open-with-key.ts";
import { withDatabase } from "../../session/with-database.ts";
import { noMail } from "../smtp-option.ts";
import { databaseOf } from "./db-target.ts";

/** In the order of their weight: narrow windows show the first ones. */
const sample = { what: "", id: 0, failed: false, kind: "", due_at: 0, attempts: 0, error: "", to: "", created_at: 0 };

export async function outbox(context: Context, max: number): Promise<void> {
  const { terminal } = context;
  const formats = { created_at: "unix-time", due_at: "unix-time" } as const;
  const columns = Object.keys(sample);
  const output = createOutput<object>({ sample, columns, formats, items: "callbacks or mails" }, context);
  await withDatabase(context, openWithKey(databaseOf(context), terminal.env), async (database) => {
    const items = await listOutbox(database, max);
    await output.all(items);
    const settings = await createService({ database, environment: terminal.env }).settings();
    const missing = missingForMail(settings);
    if (items.some(({ what }) => what === "mail") && missing.length > 0) {
      terminal.note(noMail(missing));
    }
  });
}
