import type { Server } from "node:http";
import { setImmediate as polled, setTimeout as sleep } from "node:timers/promises";
import type { Connections } from "./connections.ts";

/** Milliseconds. */
export interface ShutdownTimes {
  /** How long /readyz says that the service ends before new connections are refused. */
  notice: number;
  /** How long no connection must have come before new ones are refused. */
  quiet: number;
  /** After that: until what is still running is cut off. */
  grace: number;
}

/** Holds requests back for a moment. */
export class Door {
  /** Resolves when requests are let through; undefined while they are. */
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
}

/** A connection that was just opened has so long to send a request. */
const unused = 1000;

/** Ends a server: first it says so, then it refuses connections, finishes what is running, and cuts off the rest. */
export async function shutDown({ server, connections, door }: Parts, times: ShutdownTimes): Promise<void> {
  // Clients that send a request meanwhile are answered, and told that the connection ends.
  await sleep(times.notice);
  const cut = setTimeout(() => server.closeAllConnections(), times.grace);
  await untilQuiet(server, door, times);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  door.open();
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    connections.endUnused(unused);
  }, 100);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

/**
 * Waits until no connection has come for a while: the kernel resets those that it took in when the listening socket closes.
 * Clients that open one for each request come as fast as they are answered, so their requests are held back at first.
 */
async function untilQuiet(server: Server, door: Door, { quiet, grace }: ShutdownTimes): Promise<void> {
  const begun = performance.now();
  let last = begun;
  const onConnection = () => {
    last = performance.now();
  };
  server.on("connection", onConnection);
  door.close();
  for (let now = begun; now - last < quiet && now - begun < grace * 0.75; now = performance.now()) {
    if (now - begun > 10 * quiet) door.open();
    await sleep(quiet / 10);
    // Connections are taken in between timers and this.
    await polled();
  }
  server.off("connection", onConnection);
}
