import type { Caller } from "../contract/operation.ts";
import type { Client } from "../http/client.ts";
import { UsageError } from "./failure.ts";
import type { Globals } from "./globals.ts";
import { freshToken, signInAgain } from "./login.ts";
import { createSources } from "./sources.ts";
import { findTarget, type Target } from "./target.ts";
import type { Terminal } from "./terminal.ts";
import { version } from "./version.ts";

export interface ConnectOptions {
  /** For operations that need no token: none is sent, and none has to be there. */
  readonly anonymous?: boolean;
  /** Take the stored token as it is: neither renew it nor offer to sign in again. */
  readonly asIs?: boolean;
}

/** Whom operations go to, and who asks. */
export interface Connection {
  readonly caller: Caller;
  readonly target: Target;
  /** Sends any request to an instance; a database has none. */
  readonly raw: Client["raw"] | undefined;
}

/** How to reach a target; what the core and the HTTP client have to be told stands here and nowhere else. */
export interface Route {
  readonly target: Target;
  readonly globals: Globals;
  readonly terminal: Terminal;
}

/** Connects to what the line, the environment or the current profile names. */
export async function connect(globals: Globals, terminal: Terminal, options: ConnectOptions = {}): Promise<Connection> {
  const route = { target: findTarget(globals, terminal.env), globals, terminal };
  const opened = options.anonymous ? await open(route, undefined) : await openSignedIn(route, options);
  const caller = route.target.profile?.token && !options.anonymous && !options.asIs ? signInAgain(route, opened) : opened;
  const raw = "raw" in opened ? (opened as Client).raw : undefined;
  return { caller: globals.verbose ? outspoken(caller, route) : caller, target: route.target, raw };
}

async function openSignedIn(route: Route, { asIs }: ConnectOptions): Promise<Caller | Client> {
  const { target, globals, terminal } = route;
  const { profile } = target;
  const ownToken = terminal.env.WCS_TOKEN || undefined;
  if (globals.as !== undefined) return open(route, undefined, globals.as);
  if (ownToken !== undefined || profile?.token === undefined) {
    // Whoever can write a database's file owns it, and needs no login.
    return open(route, ownToken, ownToken === undefined ? (profile?.user ?? "") : undefined);
  }
  return open(route, asIs ? profile.token : await freshToken(route, profile));
}

/** A caller that sends this token, or, on a database, acts as this user ("" for the first administrator). */
export async function open({ target, globals, terminal }: Route, token: string | undefined, as?: string): Promise<Caller | Client> {
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
  return as === undefined ? service.caller({ token: "" }) : service.caller({ userId: await service.resolveUser(as || undefined) });
}

function secondsOf(text = "30"): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 86_400)) throw new UsageError(`--timeout must be a number of seconds, not '${text}'`);
  return seconds;
}

/** Says what is called and how it went; never what with, since that may be secret. */
function outspoken(caller: Caller, { target, terminal }: Route): Caller {
  const place = target.remote ? target.address : "local";
  terminal.note(`* ${terminal.plain(place)}${target.profile ? ` (profile ${terminal.plain(target.profile.name)})` : ""}`);
  return {
    async call(op, input, options) {
      const began = performance.now();
      const took = () => `${(performance.now() - began).toFixed(1)} ms`;
      terminal.note(`> ${op.name}: ${op.method} ${op.path}${options?.dryRun ? " (dry run)" : ""}`);
      try {
        const output = await caller.call(op, input, options);
        terminal.note(`< done in ${took()}`);
        return output;
      } catch (error) {
        terminal.note(`< ${(error as { code?: string }).code ?? "failed"} after ${took()}`);
        throw error;
      }
    },
    close: () => caller.close(),
  };
}
