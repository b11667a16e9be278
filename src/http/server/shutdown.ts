import type { Server } from "node:http";
import { setImmediate as polled, setTimeout as sleep } from "node:timers/promises";
import type { Connections } from "./connections.ts";

/** Durations in milliseconds. */
export interface ShutdownTimes {
  /** Time for which /readyz reports the shutdown before new connections are refused. */
  notice: number;
  /** Time without a new connection that must pass before new ones are refused. */
  quiet: number;
  /** Time after that until running requests are aborted. */
  grace: number;
}

/** Holds answers back during a part of the shutdown: a client that gets one may connect again. */
export class Door {
  /** Resolves when answers may pass; undefined while the door is open. */
  opens: Promise<void> | undefined;
  #open = () => {};

  close(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.opens = promise;
    this.#open = resolve;
  }

  open(): void {
    this.opens = undefined;
    this.#open();
  }
}

interface Parts {
  readonly server: Server;
  readonly connections: Connections;
  readonly door: Door;
  /** Resolves when no other process listens on the port either. */
  readonly othersClosed?: () => Promise<void>;
}

/** Milliseconds that a new connection has to send a request. */
const unused = 1000;

/** Shuts a server down: reports it, refuses new connections, finishes running requests, and aborts the rest. */
export async function shutDown(
  { server, connections, door, othersClosed }: Parts,
  times: ShutdownTimes,
): Promise<void> {
  // Clients that send a request meanwhile get a response that closes the connection.
  await sleep(times.notice);
  const cut = setTimeout(() => server.closeAllConnections(), times.grace);
  door.close();
  // A client waits only for a short time, even when new connections keep arriving or another process closes late.
  const opening = setTimeout(() => door.open(), 10 * times.quiet);
  await untilQuiet(server, times);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await othersClosed?.();
  clearTimeout(opening);
  door.open();
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    connections.endUnused(unused);
  }, 100);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

/** The kernel resets accepted connections when the socket closes, so this waits for a pause. */
async function untilQuiet(server: Server, { quiet, grace }: ShutdownTimes): Promise<void> {
  const begun = performance.now();
  let last = begun;
  server.on("connection", () => {
    last = performance.now();
  });
  for (let now = begun; now - last < quiet && now - begun < grace * 0.75; now = performance.now()) {
    await sleep(quiet / 10);
    // Node accepts connections between timers and the check phase.
    await polled();
  }
}
