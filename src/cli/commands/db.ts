import { UsageError } from "../failure.ts";
import { noMail } from "../mail-server.ts";
import { createOutput } from "../output.ts";
import { findTarget } from "../target.ts";
import type { Context, Group } from "../tree.ts";

const shown = 1000;
const columns = ["what", "id", "kind", "to", "created_at", "due_at", "attempts", "error", "failed"];

export const db: Group = {
  summary: "The database itself",
  commands: {
    outbox: {
      summary: "Callbacks and mails that wait to be sent",
      description: `The first ${shown} of each. wcs serve sends them; mails only with the settings mail.smtp_url and mail.from.`,
      examples: ["wcs db outbox", "wcs db outbox --query '[?error]'"],
      prints: true,
      run: outbox,
    },
  },
};

async function outbox({ terminal, globals }: Context): Promise<void> {
  const target = findTarget(globals, terminal.env);
  if (target.remote)
    throw new UsageError("wcs db works on a database, not on the URL of an instance", { hint: "use --db" });
  const [{ openDatabase }, { listOutbox, missingForMail }, { createService }] = await Promise.all([
    import("../../store/database.ts"),
    import("../../delivery/index.ts"),
    import("../../core/service.ts"),
  ]);
  const database = await openDatabase(target.address);
  try {
    const items = (await listOutbox(database, shown)).map((item) => ({ ...item }));
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
