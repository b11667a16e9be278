import { createService } from "../../core/service.ts";
import { listOutbox, missingForMail } from "../../delivery/index.ts";
import { noMail } from "../mail-server.ts";
import { createOutput } from "../output.ts";
import type { Context } from "../tree.ts";
import { openWithKey } from "./open.ts";
import { databaseOf } from "./target.ts";

const columns = ["what", "id", "kind", "to", "created_at", "due_at", "attempts", "error", "failed"];

/** `wcs db outbox`: the first `most` callbacks and mails. */
export async function outbox(context: Context, most: number): Promise<void> {
  const { terminal, globals } = context;
  const database = await openWithKey(databaseOf(context), terminal.env);
  try {
    const items = (await listOutbox(database, most)).map((item) => ({ ...item }));
    await createOutput({ columns, items: "callbacks or mails" }, globals, terminal).list([
      { items, more: false, response: items },
    ]);
    const settings = await createService({ database, environment: terminal.env }).settings();
    const missing = missingForMail(settings);
    if (items.some(({ what }) => what === "mail") && missing.length > 0) {
      terminal.note(noMail(missing));
    }
  } finally {
    await database.close();
  }
}
