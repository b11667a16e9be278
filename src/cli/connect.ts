import type { Caller } from "../contract/operation.ts";
import type { Client } from "../http/client.ts";
import { openWithKey } from "./database/open.ts";
import type { Globals } from "./globals.ts";
import { createSources } from "./sources.ts";
import type { Target } from "./target.ts";
import type { Terminal } from "./terminal.ts";
import { readDuration } from "./times.ts";
import { version } from "./version.ts";

const standardTimeout = "30s";
/** Milliseconds that a command may take before its callbacks are sent without waiting for its end. */
const patience = 250;

/** How to reach a target; what the core and the HTTP client have to be told stands here and nowhere else. */
export interface Route {
  readonly target: Target;
  readonly globals: Globals;
  readonly terminal: Terminal;
}

/** A caller that sends this token, or, on a database, acts as this user ("" for the first administrator). */
export async function open(
  { target, globals, terminal }: Route,
  token: string | undefined,
  as?: string,
): Promise<Caller | Client> {
  if (target.remote) {
    const { createClient } = await import("../http/client.ts");
    return createClient({
      url: target.address,
      ...(token && { token }),
      userAgent: `wcs/${version}`,
      timeout: readDuration(globals.timeout ?? standardTimeout, "--timeout") * 1000,
      ...(globals.caFile !== undefined && { ca: createSources(terminal).file(globals.caFile, "--ca-file") }),
    });
  }
  const { createService } = await import("../core/service.ts");
  const database = await openWithKey(target.address, terminal.env);
  // What is put out is sent when the command ends, or, when it takes longer, meanwhile: it may wait for just that.
  let sending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    clearTimeout(timer);
    timer = undefined;
    sending = Promise.resolve(sending).then(async () =>
      (await import("./deliver.ts")).deliverFirst(database, service, terminal),
    );
  };
  const announce: typeof database.announce = (topics) => {
    database.announce(topics);
    if (topics.includes("outbox")) timer ??= setTimeout(send, patience);
  };
  const service = createService({ database: { ...database, announce }, environment: terminal.env });
  // Operations without a login need nobody; the others act as the owner.
  const own = async () => (as === undefined ? { token: "" } : { userId: await service.resolveUser(as || undefined) });
  const caller = service.caller(token === undefined ? await own() : { token });
  return {
    call: caller.call,
    async close() {
      if (timer !== undefined) send();
      await sending;
      await caller.close();
    },
  };
}
