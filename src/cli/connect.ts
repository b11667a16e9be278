import type { Caller } from "../contract/operation.ts";
import type { Client } from "../http/client.ts";
import { UsageError } from "./failure.ts";
import type { Globals } from "./globals.ts";
import { createSources } from "./sources.ts";
import type { Target } from "./target.ts";
import type { Terminal } from "./terminal.ts";
import { version } from "./version.ts";

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
      timeout: secondsOf(globals.timeout) * 1000,
      ...(globals.caFile !== undefined && { ca: createSources(terminal).file(globals.caFile, "--ca-file") }),
    });
  }
  const [{ openDatabase }, { createService }] = await Promise.all([
    import("../store/database.ts"),
    import("../core/service.ts"),
  ]);
  const database = await openDatabase(target.address);
  const service = createService({ database, environment: terminal.env });
  if (token !== undefined) return service.caller({ token });
  // Operations without a login need nobody; the others act as the owner.
  return as === undefined
    ? service.caller({ token: "" })
    : service.caller({ userId: await service.resolveUser(as || undefined) });
}

function secondsOf(text = "30"): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 86_400)) throw new UsageError(`--timeout must be a number of seconds, not '${text}'`);
  return seconds;
}
