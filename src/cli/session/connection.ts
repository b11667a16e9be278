import { ServiceError } from "../../contract/errors.ts";
import type { Caller } from "../../contract/operation.ts";
import type { Client } from "../../http/client/client.ts";
import type { Globals } from "../terminal/global-options.ts";
import { lineOf } from "../terminal/shell-words.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { environmentLogin, environmentToken, isForTarget } from "./environment-login.ts";
import { openCaller, type Route } from "./open-caller.ts";
import { findTarget, type Target } from "./target.ts";

export interface ConnectionOptions {
  readonly anonymous?: boolean;
  /** Uses the stored token without renewing it or offering to sign in again. */
  readonly asIs?: boolean;
}

export interface Connection {
  readonly caller: Caller;
  readonly target: Target;
  /** Sends any HTTP request to an instance; undefined for databases. */
  readonly raw: Client["raw"] | undefined;
}

export async function connect(
  globals: Globals,
  terminal: Terminal,
  options: ConnectionOptions = {},
): Promise<Connection> {
  const route = { target: findTarget(globals, terminal.env), globals, terminal };
  const { opened, login } = options.anonymous
    ? { opened: await openCaller(route, undefined) }
    : await openSignedIn(route, options).catch((error) => {
        throw addSignInHint(error, route);
      });
  const renewing = login && (await renewal()).addTokenRenewal(route, opened, login.profile, login.token);
  const caller = forTerminal(renewing ?? opened, route);
  const raw = "raw" in opened ? opened.raw : undefined;
  return { caller: globals.verbose ? logCalls(caller, route) : caller, target: route.target, raw };
}

/** Loaded only for an environment that may be wrong. */
const refusal = () => import("./refuse-login.ts");

/** Loaded only for a stored login, which is rare for databases. */
const renewal = () => import("./token-renewal.ts");

/** Wraps a caller so that its errors name the command that signs in, and the terminal knows about changes. */
const forTerminal = (caller: Caller, route: Route): Caller => ({
  async call(op, input, options) {
    const changes = op.method !== "GET" && options?.dryRun !== true;
    try {
      const answer = await caller.call(op, input, options);
      if (changes) route.terminal.noteChange();
      return answer;
    } catch (error) {
      throw addSignInHint(error, route);
    }
  },
  close: () => caller.close(),
});

/** Adds the command that signs in to the target to the error of a caller who is not signed in. */
export function addSignInHint(
  error: unknown,
  { target: { address, remote, profile }, globals, terminal }: Route,
): unknown {
  if (!(error instanceof ServiceError) || error.code !== "unauthenticated" || error.hint !== undefined) return error;
  const where = globals.url === undefined && profile ? ["--profile", profile.name] : ["--url", address];
  const hint = terminal.env.WCS_TOKEN
    ? "Check the token in WCS_TOKEN, or create another one with wcs tokens create."
    : `Sign in with ${lineOf(["auth", "login", ...(remote ? where : [])])}`;
  return new ServiceError(error.code, error.message, { hint, cause: error });
}

interface SignedIn {
  readonly opened: Caller | Client;
  /** The token, if it belongs to a profile and may be renewed. */
  readonly login?: { readonly profile: string; readonly token: string };
}

async function openSignedIn(route: Route, { asIs }: ConnectionOptions): Promise<SignedIn> {
  const { target, globals, terminal } = route;
  const { profile } = target;
  const ownToken = environmentToken(terminal.env, target);
  if (globals.as !== undefined) return { opened: await openCaller(route, undefined, globals.as) };
  const login = asIs ? undefined : environmentLogin(terminal.env, target);
  if (login) {
    const { authenticate } = await import("./request-token.ts");
    const { endOnClose } = await import("./end-session.ts");
    return { opened: endOnClose(await openCaller(route, (await authenticate(route, login)).jwt)) };
  }
  const { env } = terminal;
  if (env.WCS_TOKEN?.trim() === "") (await refusal()).refuseEmptyToken(env, target);
  if (ownToken !== undefined || profile?.token === undefined) {
    if (env.WCS_USERNAME || !isForTarget(env, target)) (await refusal()).requireOwnLogin(env, target);
    // Access to the database itself needs no login.
    return { opened: await openCaller(route, ownToken, ownToken === undefined ? (profile?.user ?? "") : undefined) };
  }
  if (asIs) return { opened: await openCaller(route, profile.token) };
  const token = await (await renewal()).freshToken(route, profile.name, profile.token);
  return { opened: await openCaller(route, token), login: { profile: profile.name, token } };
}

/** Returns the connection for several runs of commands: they cannot close it, and `stop` aborts their calls. */
export function shareConnection(connection: Connection, stop: AbortSignal): Connection {
  const call: Caller["call"] = (op, input, options = {}) => {
    const signal = options.signal ? AbortSignal.any([stop, options.signal]) : stop;
    return connection.caller.call(op, input, { ...options, signal });
  };
  return { ...connection, caller: { call, close: async () => {} } };
}

/** Logs calls and their results to stderr. Does not log inputs, since they may be secret. */
function logCalls(caller: Caller, { target, terminal }: Route): Caller {
  const place = target.remote ? target.address : "local";
  terminal.note(`* ${place}${target.profile ? ` (profile ${target.profile.name})` : ""}`);
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
