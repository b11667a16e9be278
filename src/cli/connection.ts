import type { Caller } from "../contract/operation.ts";
import type { Client } from "../http/client.ts";
import { open, type Route } from "./connect.ts";
import type { Globals } from "./globals.ts";
import { freshToken, keepSignedIn } from "./login.ts";
import { findTarget, type Target } from "./target.ts";
import type { Terminal } from "./terminal.ts";

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

/** Connects to what the line, the environment or the current profile names. */
export async function connect(globals: Globals, terminal: Terminal, options: ConnectOptions = {}): Promise<Connection> {
  const route = { target: findTarget(globals, terminal.env), globals, terminal };
  const { opened, token } = options.anonymous
    ? { opened: await open(route, undefined) }
    : await openSignedIn(route, options);
  const caller = token === undefined ? opened : keepSignedIn(route, opened, token);
  const raw = "raw" in opened ? (opened as Client).raw : undefined;
  return { caller: globals.verbose ? outspoken(caller, route) : caller, target: route.target, raw };
}

/** With the token of the profile, if it is one that may be renewed. */
async function openSignedIn(
  route: Route,
  { asIs }: ConnectOptions,
): Promise<{ opened: Caller | Client; token?: string }> {
  const { target, globals, terminal } = route;
  const { profile } = target;
  const ownToken = terminal.env.WCS_TOKEN || undefined;
  if (globals.as !== undefined) return { opened: await open(route, undefined, globals.as) };
  if (ownToken !== undefined || profile?.token === undefined) {
    // Whoever can write a database's file owns it, and needs no login.
    return { opened: await open(route, ownToken, ownToken === undefined ? (profile?.user ?? "") : undefined) };
  }
  if (asIs) return { opened: await open(route, profile.token) };
  const token = await freshToken(route, profile);
  return { opened: await open(route, token), token };
}

/** Says what is called and how it went; never what with, since that may be secret. */
function outspoken(caller: Caller, { target, terminal }: Route): Caller {
  const place = target.remote ? target.address : "local";
  terminal.note(
    `* ${terminal.plain(place)}${target.profile ? ` (profile ${terminal.plain(target.profile.name)})` : ""}`,
  );
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
