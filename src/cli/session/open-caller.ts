import { sleep } from "../../contract/abortable-sleep.ts";
import { pluralize } from "../../contract/count-text.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Caller } from "../../contract/operation.ts";
import type { Service } from "../../core/service.ts";
import type { Client } from "../../http/client/client.ts";
import type { Database } from "../../store/database.ts";
import { failureOf } from "../errors/cli-errors.ts";
import type { Globals } from "../terminal/global-options.ts";
import { lineOf } from "../terminal/shell-words.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readDuration } from "../time/parse-time.ts";
import { openWithKey } from "./open-with-key.ts";
import { shownAddress, type Target } from "./target.ts";
import { version } from "./version.ts";

const defaultTimeout = "30s";
/** Milliseconds after which callbacks are sent while the command is still running. */
const sendDelay = 250;

export interface Route {
  readonly target: Target;
  readonly globals: Globals;
  readonly terminal: Terminal;
}

/** Opens a caller that sends this token or, on a database, acts as this user ("" for the first administrator). */
export async function openCaller(route: Route, token: string | undefined, as?: string): Promise<Caller | Client> {
  const { target, globals, terminal } = route;
  const timeout = readDuration(globals.timeout ?? defaultTimeout, "--timeout") * 1000;
  if (target.remote) {
    if (token !== undefined) warnOfPlainHttp(route);
    const { createClient } = await import("../../http/client/client.ts");
    return createClient({
      url: target.address,
      token: token || undefined,
      userAgent: `wcs/${version}`,
      timeout,
      ca:
        globals.caFile === undefined
          ? undefined
          : (await import("../file-io/read-ca-file.ts")).readCaFile(globals.caFile),
    });
  }
  const { createService } = await import("../../core/service.ts");
  const database = await openWithKey(target.address, terminal.env);
  terminal.signals.delayStop(database.isWriting);
  // Callbacks are sent when the command ends or, for a longer command, while it runs: it may be waiting for them.
  let sending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const since = Math.floor(Date.now() / 1000);
  const send = () => {
    clearTimeout(timer);
    timer = undefined;
    sending = Promise.resolve(sending).then(() => attemptDeliveries(database, service, route, since));
  };
  const service = createService({
    database,
    environment: terminal.env,
    onAnnounce: (topics) => {
      if (topics.includes("outbox")) timer ??= setTimeout(send, sendDelay);
    },
  });
  // Public operations need neither a token nor a user: their token is empty.
  const isByUser = token === undefined && as !== undefined;
  const caller = service.caller(isByUser ? { userId: await userFor(service, route, as) } : { token: token ?? "" });
  return {
    call(op, input, options) {
      const call = () => caller.call(op, input, options);
      // A one-time code is used up before the rest of the change, so a repetition would be refused.
      return (input as { readonly otp?: string }).otp === undefined ? repeatWhileBusy(call, timeout) : call();
    },
    async close() {
      if (timer !== undefined) send();
      await sending;
      await caller.close();
    },
  };
}

/** Repeats a call while other processes keep the database busy: after these errors, which last a second, nothing was changed. */
async function repeatWhileBusy<T>(call: () => Promise<T>, timeout: number): Promise<T> {
  // Not performance, which loads 11 modules of Node.
  const now = () => process.uptime() * 1000;
  const end = now() + timeout;
  for (;;) {
    const begin = now();
    try {
      return await call();
    } catch (error) {
      const isBusy = error instanceof ServiceError && error.code === "unavailable" && error.retryAfter === 1;
      // Another attempt may wait as long as this one.
      if (!isBusy || 2 * now() - begin >= end) throw error;
    }
    await sleep(1000 * Math.random());
  }
}

const warned = new WeakSet<Target>();

/** Warns, once for a target, that a token or a password is sent without encryption. Loopback connections need none. */
export function warnOfPlainHttp({ target, terminal }: Route): void {
  if (!target.remote || warned.has(target)) return;
  const { protocol, hostname } = new URL(target.address);
  if (protocol !== "http:" || /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) return;
  warned.add(target);
  terminal.note(
    `Warning: ${target.address} is not encrypted: others on the network can read your login. Use https://.`,
  );
}

/** Loaded only for names and for users who cannot act. */
const findActor = () => import("./find-actor.ts");

const isName = (as: string): boolean => !/^\s*\d*\s*$|^(?!ref:).*@/.test(as);

async function idOfName(service: Service, name: string): Promise<string | undefined> {
  const administrator = service.caller({ userId: await service.resolveUser() });
  return (await findActor()).findNamedUser(administrator, name);
}

/** Returns the ID of the user to act as. Its errors say how to choose another one. */
async function userFor(service: Service, route: Route, as: string): Promise<number> {
  try {
    return await service.resolveUser((isName(as) && (await idOfName(service, as))) || as || undefined);
  } catch (error) {
    throw (await findActor()).actorError(error, route);
  }
}

const firstAttempts = 5;

/** Makes the first delivery attempts after a command, and reports what is left. Never rejects, because the change is saved. */
async function attemptDeliveries(database: Database, service: Service, route: Route, since: number): Promise<void> {
  const { target, globals, terminal } = route;
  const noteFailure = (error: unknown) =>
    terminal.note(`Sending callbacks failed. ${failureOf(database.explain(error)).message}`);
  const { countCallbacksSince } = await import("../../delivery/delivery.ts");
  const engine = await createDeliveryEngine(database, service, terminal);
  await engine.drain({ maxSeconds: firstAttempts }).catch(noteFailure);
  const left = await countCallbacksSince(database, since).catch(noteFailure);
  // A running server cannot be detected from here, so the message holds with and without one.
  if (!left) return;
  const place = target.profile === undefined ? ["--db", shownAddress(target)] : [];
  const profile = globals.profile === undefined ? [] : ["--profile", globals.profile];
  const command = lineOf(["webhooks", "deliver", ...place, ...profile]);
  terminal.note(
    `${pluralize(left, "callback")} could not be sent yet. A running wcs serve tries again; without one, run ${command}.`,
  );
}

export async function createDeliveryEngine(database: Database, service: Service, terminal: Terminal) {
  const { createEngine } = await import("../../delivery/delivery.ts");
  return createEngine({
    database,
    settings: service.settings,
    userAgent: `wcs/${version}`,
    // The webhook's own log has the results of attempts.
    log: {
      info() {},
      error: (fields, message) => terminal.note("reason" in fields ? `${message}: ${fields.reason}` : `${message}.`),
    },
  });
}
