import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface Deadlines {
  /** Milliseconds until the headers of a request must have arrived, from its first byte or from connecting. */
  headers: number;
  /** Milliseconds that a connection may stay idle between two requests. */
  idle: number;
  /** Milliseconds that a body may be behind the required bytes per millisecond. */
  body: number;
  rate: number;
  /** Milliseconds in which a client must read `stallBytes` of a waiting answer. */
  stall: number;
  stallBytes: number;
}

/** A connection with its current request; without one before the first. */
interface Connection {
  incoming: IncomingMessage | undefined;
  outgoing: ServerResponse | undefined;
  /** `waits` for the first byte of a request, receives its `headers`, or has received them: `request`. */
  phase: "waits" | "headers" | "request";
  /** Start of the phase, and the bytes that had been read then. */
  since: number;
  read: number;
  /** Time at which the client had taken `taken` bytes of the answer. */
  takenSince: number;
  taken: number;
}

/** Ends connections that are too slow: Node limits neither the time of bodies nor the reading of answers. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #deadlines: Deadlines;
  readonly #tooLate: (socket: Socket) => void;
  #checked = performance.now();

  /** `tooLate` answers a request that did not arrive in time, and ends its connection. */
  constructor(deadlines: Deadlines, tooLate: (socket: Socket) => void) {
    this.#deadlines = deadlines;
    this.#tooLate = tooLate;
  }

  add(socket: Socket): void {
    const now = performance.now();
    const start = { since: now, read: 0, takenSince: now, taken: 0 };
    this.#open.set(socket, { incoming: undefined, outgoing: undefined, phase: "headers", ...start });
    socket.once("close", () => this.#open.delete(socket));
  }

  begin(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { socket } = incoming;
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    const now = performance.now();
    const start = { since: now, read: socket.bytesRead, takenSince: now };
    Object.assign(connection, { incoming, outgoing, phase: "request", ...start });
    // Not left to a check, which would count bytes of the next request as part of this one.
    outgoing.on("finish", () => {
      if (connection.outgoing === outgoing && incoming.complete) awaitNext(socket, connection, performance.now());
    });
  }

  answerOn(socket: Socket): ServerResponse | undefined {
    return this.#open.get(socket)?.outgoing;
  }

  /** True while a complete answer is still being read by its client; Node treats such a connection as idle. */
  get areBeingRead(): boolean {
    return this.#open.values().some(({ outgoing }) => outgoing?.writableEnded === true && !outgoing.writableFinished);
  }

  /** Ends connections older than that many milliseconds without a request. */
  endUnused(milliseconds: number): void {
    const before = performance.now() - milliseconds;
    for (const [socket, { incoming, since }] of this.#open) if (!incoming && since < before) socket.destroy();
  }

  /** Ends connections that were too slow at that time (as `performance.now`). Call it about every second. */
  check(now: number): void {
    const elapsed = now - this.#checked;
    this.#checked = now;
    for (const [socket, connection] of this.#open) {
      if (this.#isLate(socket, connection, now, elapsed)) this.#end(socket, connection);
      // Without the reset the kernel would keep the answer for a client that does not read it.
      else if (this.#isStalled(socket, connection, now)) socket.resetAndDestroy();
    }
  }

  #end(socket: Socket, { phase, outgoing }: Connection): void {
    if (phase === "waits" || (phase === "request" && outgoing?.headersSent)) socket.destroy();
    else this.#tooLate(socket);
  }

  #isLate(socket: Socket, connection: Connection, now: number, elapsed: number): boolean {
    const { headers, idle } = this.#deadlines;
    if (connection.phase === "request") {
      const { incoming, outgoing } = connection;
      if (!incoming?.complete) return this.#isBodyLate(socket, connection, now, elapsed);
      if (!outgoing?.writableFinished) return false;
      awaitNext(socket, connection, now);
    }
    if (connection.phase === "waits" && socket.bytesRead > connection.read) {
      Object.assign(connection, { phase: "headers", since: now });
    }
    return now - connection.since > (connection.phase === "waits" ? idle : headers);
  }

  #isBodyLate(socket: Socket, connection: Connection, now: number, elapsed: number): boolean {
    const { body, rate } = this.#deadlines;
    const { incoming, outgoing, read } = connection;
    // An answer that did not need the body ends the connection soon; until then the body may arrive.
    if (outgoing?.writableFinished) return now - connection.since > body;
    // The body waits for its turn or for room, which does not count as slowness of the sender.
    if (incoming?.readableFlowing !== true) connection.since += elapsed;
    const behind = now - connection.since - (socket.bytesRead - read) / rate;
    // A sender who was quick may not stop for longer: what has arrived takes room from others.
    if (behind < 0) Object.assign(connection, { since: now, read: socket.bytesRead });
    return behind > body;
  }

  #isStalled(socket: Socket, connection: Connection, now: number): boolean {
    const { stall, stallBytes } = this.#deadlines;
    // Bytes in the socket's buffer count only when the whole chunk was sent.
    const taken = socket.bytesWritten - socket.writableLength;
    const isWaiting = (connection.outgoing?.writableLength ?? 0) > 0;
    if (!isWaiting || taken - connection.taken >= stallBytes) {
      connection.taken = taken;
      connection.takenSince = now;
      return false;
    }
    return now - connection.takenSince >= stall;
  }
}

function awaitNext(socket: Socket, connection: Connection, now: number): void {
  Object.assign(connection, { phase: "waits", since: now, read: socket.bytesRead });
}
