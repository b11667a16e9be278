import type { Server } from "node:http";
import { setImmediate as polled, setTimeout as sleep } from "node:timers/promises";
import type { Connections } from "./connections.ts";

/** Durations in milliseconds. */
export interface ShutdownTimes {
  /** Time between the first 503 of /readyz and the refusal of new connections. */
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

/** Processes that share a port all hold answers back before the first one closes the port, and all close it before the first one answers. */
export type ShutdownStep = "hold" | "close";

interface Parts {
  readonly server: Server;
  readonly connections: Connections;
  readonly door: Door;
  /** Resolves when all processes that share the port have reached the step. */
  readonly inStep?: (step: ShutdownStep) => Promise<void>;
}

/** Milliseconds that a new connection has to send a request. */
const unused = 1000;
/** Milliseconds of a turn of the event loop in which the system has hardly accepted connections that Node has not. */
const shortTurn = 1;

/** Shuts a server down: reports it, refuses new connections, finishes running requests, and aborts the rest. */
export async function shutDown({ server, connections, door, inStep }: Parts, times: ShutdownTimes): Promise<void> {
  // Clients that send a request meanwhile get a response that closes the connection.
  await sleep(times.notice);
  const cut = setTimeout(() => server.closeAllConnections(), times.grace);
  door.close();
  // A client waits only for a short time, even when new connections keep arriving or another process closes late.
  const opening = setTimeout(() => door.open(), 10 * times.quiet);
  // Clients of a process that still answers connect again, perhaps to this one.
  await Promise.race([inStep?.("hold"), door.opens]);
  await untilQuiet(server, times);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await inStep?.("close");
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
  let turn = 0;
  const isQuiet = (now: number) => now - last >= quiet && turn <= shortTurn;
  for (let now = begun; !isQuiet(now) && now - begun < grace * 0.75; now = performance.now()) {
    await sleep(quiet / 10);
    // Node accepts connections between timers and the check phase, and then handles what else has arrived.
    const woken = performance.now();
    await polled();
    turn = performance.now() - woken;
  }
}
