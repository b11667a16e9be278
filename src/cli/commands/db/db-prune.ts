import { pluralize } from "../../../contract/count-text.ts";
import { createService } from "../../../core/service.ts";
import { countExpired, removeExpired } from "../../../delivery/delivery.ts";
import type { Context } from "../../kit/command-spec.ts";
import { createOutput } from "../../output/create-output.ts";
import { openWithKey } from "../../session/open-with-key.ts";
import { withDatabase } from "../../session/with-database.ts";
import { databaseOf } from "./db-target.ts";

export async function prune(context: Context): Promise<void> {
  const { terminal, flags } = context;
  const dryRun = flags.dryRun === true;
  const sample = { kind: "", rows: 0, days: 0, setting: "" };
  const output = createOutput<object>({ sample, columns: Object.keys(sample) }, context);
  await withDatabase(context, openWithKey(databaseOf(context), terminal.env), async (database) => {
    const settings = await createService({ database, environment: terminal.env }).settings();
    const moment = { now: Math.floor(Date.now() / 1000), settings };
    const work = dryRun ? countExpired(database, moment) : removeExpired(database, { ...moment, waits: true });
    const items = await terminal.spin("pruning", work);
    await output.all(items);
    const deleted = items.reduce((sum, { rows }) => sum + rows, 0);
    const total = pluralize(deleted, "row");
    terminal.note(dryRun ? `Dry run: ${total} would be deleted.` : `Deleted ${total}.`);
  });
}
