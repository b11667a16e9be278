import type { Service } from "../core/service.ts";
import type { Database } from "../store/database.ts";
import { UsageError } from "./failure.ts";
import { findTarget } from "./target.ts";
import type { Terminal } from "./terminal.ts";
import type { Context } from "./tree.ts";
import { version } from "./version.ts";

/** Seconds that a command spends on first attempts before it ends. */
const firstAttempts = 5;

/** Makes the first attempts at what a command has put out; what is left is said, and sent by `wcs serve`. */
export async function deliverFirst(database: Database, service: Service, terminal: Terminal): Promise<void> {
  const { due, later } = await (await engineFor(database, service, terminal)).drain({ maxSeconds: firstAttempts });
  if (due + later > 0)
    terminal.note(`${due + later} callbacks are still to be sent; wcs serve or wcs webhooks deliver sends them.`);
}

/** `wcs webhooks deliver` */
export async function deliver({ terminal, globals }: Context): Promise<void> {
  const target = findTarget(globals, terminal.env);
  if (target.remote) throw new UsageError("wcs webhooks deliver works on a database; an instance delivers by itself");
  const [{ openDatabase }, { createService }] = await Promise.all([
    import("../store/database.ts"),
    import("../core/service.ts"),
  ]);
  const database = await openDatabase(target.address);
  try {
    const engine = await engineFor(database, createService({ database, environment: terminal.env }), terminal);
    const before = await engine.waiting();
    const { due, later, mails } = await engine.drain({ maxSeconds: Number.POSITIVE_INFINITY });
    terminal.note(`${before.due} callbacks were due; ${due + later} wait for another attempt, ${mails} mails wait.`);
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
