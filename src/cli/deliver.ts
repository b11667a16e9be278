import type { Service } from "../core/service.ts";
import type { Database } from "../store/database.ts";
import { counted } from "./counted.ts";
import { openWithKey } from "./database/open.ts";
import { UsageError } from "./failure.ts";
import { environmentWithSmtp, noMail } from "./mail-server.ts";
import { findTarget } from "./target.ts";
import type { Terminal } from "./terminal.ts";
import type { Context } from "./tree.ts";
import { version } from "./version.ts";

/** Seconds that a command spends on first attempts before it ends. */
const firstAttempts = 5;

/** Makes the first attempts at what a command has put out; what is left is said, and sent by `wcs serve`. */
export async function deliverFirst(database: Database, service: Service, terminal: Terminal): Promise<void> {
  const { due, later } = await (await engineFor(database, service, terminal)).drain({ maxSeconds: firstAttempts });
  const left = due + later;
  if (left === 1) terminal.note("1 callback is still to be sent; wcs serve or wcs webhooks deliver sends it.");
  else if (left > 0)
    terminal.note(`${left} callbacks are still to be sent; wcs serve or wcs webhooks deliver sends them.`);
}

/** `wcs webhooks deliver` */
export async function deliver(context: Context): Promise<void> {
  const { terminal, globals } = context;
  const environment = environmentWithSmtp(context);
  const target = findTarget(globals, terminal.env);
  if (target.remote) throw new UsageError("wcs webhooks deliver works on a database; an instance delivers by itself");
  const { createService } = await import("../core/service.ts");
  const database = await openWithKey(target.address, terminal.env);
  try {
    const service = createService({ database, environment });
    const engine = await engineFor(database, service, terminal);
    const before = await engine.waiting();
    const after = await engine.drain({ maxSeconds: Number.POSITIVE_INFINITY });
    const { missingForMail } = await import("../delivery/index.ts");
    const missing = after.mails > 0 ? missingForMail(await service.settings()) : [];
    const waiting = `Left for later: ${counted(after.due + after.later, "callback")}, ${counted(after.mails, "mail")}.`;
    terminal.note(`${counted(before.due, "callback")} and ${counted(before.mails, "mail")} waited. ${waiting}`);
    if (missing.length > 0) terminal.note(noMail(missing));
  } finally {
    await database.close();
  }
}

async function engineFor(database: Database, service: Service, terminal: Terminal) {
  const { createEngine } = await import("../delivery/index.ts");
  return createEngine({
    database,
    settings: service.settings,
    userAgent: `wcs/${version}`,
    // What came of an attempt stands in the webhook's own log.
    log: { info() {}, error: (_, message) => terminal.note(`${message}.`) },
  });
}
