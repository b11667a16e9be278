import { randomUUID } from "node:crypto";
import http, { type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError } from "@hono/node-server";
import { ServiceError } from "../contract/errors.ts";
import { Exchange, type Log, rawError } from "./exchange.ts";
import type { App } from "./routing.ts";

/** Milliseconds after which something is ended. */
export interface Timeouts {
  /** Until a connection has sent the headers of its first request. */
  headers: number;
  /** Until a request has arrived, however large it is. */
  request: number;
  /** A connection that waits between two requests. */
  idle: number;
  /** A client that neither sends nor takes `stallBytes` in this time, while it should. */
  stall: number;
  stallBytes: number;
  /** How often the above are looked at. */
  check: number;
  /** At the end: how long /readyz says so before new connections are refused. */
  notice: number;
  /** At the end: until what is still running is cut off. */
  grace: number;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly timeouts?: Partial<Timeouts>;
}

export interface Listening {
  /** The base URL, without a slash at the end. */
  readonly url: string;
  /** Finishes what is running, within `grace`. */
  close(): Promise<void>;
}

/** What is under way on a connection, and how far it was when last looked at; nothing before the first request. */
interface Flight {
  incoming: IncomingMessage | undefined;
  outgoing: ServerResponse | undefined;
  bytes: number;
  since: number;
}

const standard: Timeouts = {
  headers: 60_000,
  request: 900_000,
  idle: 65_000,
  stall: 55_000,
  stallBytes: 65_536,
  check: 5_000,
  notice: 1_000,
  grace: 28_000,
};

/** Starts a server for the app; `servedAt` of an app that was not told otherwise becomes its URL. */
export async function listen(app: App, options: ListenOptions): Promise<Listening> {
  const timeouts = { ...standard, ...options.timeouts };
  const flights = new Map<Socket, Flight>();
  const server = createServer(app, timeouts, flights);
  await bound(server, options);
  const url = urlOf(server.address() as AddressInfo, options.host);
  app.state.servedAt ??= url;
  const watch = setInterval(() => endStalled(flights, timeouts), timeouts.check);
  watch.unref();
  let closed: Promise<void> | undefined;
  const close = async () => {
    closed ??= shutDown(app, server, flights, timeouts).finally(() => clearInterval(watch));
    await closed;
  };
  return { url, close };
}

function createServer(app: App, timeouts: Timeouts, flights: Map<Socket, Flight>): Server {
  const server = http.createServer({
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.idle,
    connectionsCheckingInterval: timeouts.check,
    maxHeaderSize: 16_384,
    // Answered below: node's own answer has no body.
    requireHostHeader: false,
  });
  server.on("connection", (socket) => {
    flights.set(socket, { incoming: undefined, outgoing: undefined, bytes: 0, since: Date.now() });
    socket.once("close", () => flights.delete(socket));
  });
  // For node a connection is idle as soon as its answer was handed over, though it may take long to be read.
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    if (![...flights.values()].some(isBeingRead)) closeIdle();
  };
  const respond = getRequestListener(app.fetch, {
    hostname: "localhost",
    errorHandler: (error) => {
      const exchange = new Exchange(app.state, "unmatched", new Request("http://localhost/"), undefined);
      return exchange.fail(error instanceof RequestError ? badRequest("The URL or Host header is not valid.") : error);
    },
  });
  const refuse: Refuse = (socket, error, allow) => refuseOn(app.state.log, socket, error, allow);
  server.on("request", (incoming, outgoing) => {
    const flight = flights.get(incoming.socket)!;
    flight.incoming = incoming;
    flight.outgoing = outgoing;
    flight.since = Date.now();
    if (incoming.headers.host !== undefined || incoming.httpVersion !== "1.1") void respond(incoming, outgoing);
    else refuse(incoming.socket, badRequest("The request has no Host header."));
  });
  // The body is asked for when there is somebody to read it.
  server.on("checkContinue", (incoming, outgoing) => server.emit("request", incoming, outgoing));
  refuseTheRest(server, flights, refuse);
  return server;
}

type Refuse = (socket: Duplex, error: ServiceError, allow?: string) => void;

/** What node would answer, or drop, in its own way. */
function refuseTheRest(server: Server, flights: Map<Socket, Flight>, refuse: Refuse): void {
  server.on("checkExpectation", ({ socket }: IncomingMessage) => {
    refuse(socket, badRequest("Of the expectations, only 100-continue can be met."));
  });
  server.on("connect", (_, socket) => {
    const error = new ServiceError("method_not_allowed", "This is not a proxy.");
    refuse(socket, error, "GET, HEAD, POST, PATCH, DELETE");
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const begun = flights.get(socket as Socket)?.outgoing;
    if (error.code === "ECONNRESET" || (begun?.headersSent && !begun.writableFinished)) socket.destroy();
    else refuse(socket, clientError(error.code));
  });
}

const badRequest = (message: string) => new ServiceError("bad_request", message);

function clientError(code: string | undefined): ServiceError {
  if (code === "HPE_HEADER_OVERFLOW") return badRequest("The headers of the request are too large.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return badRequest("The request did not arrive in time.");
  return badRequest("The request is not valid HTTP.");
}

/** Answers on the bare socket and ends it. What is still to come is read for a moment, so that the answer is not lost to a reset. */
function refuseOn(log: Log, socket: Duplex, error: ServiceError, allow?: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const id = randomUUID();
  log.info({ route: "unmatched", status: error.status, request_id: id }, "request refused");
  socket.on("error", () => socket.destroy());
  socket.end(rawError(error, id, allow));
  socket.resume();
  setTimeout(() => socket.destroy(), 500).unref();
}

function bound(server: Server, { host, port }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      const why = {
        EADDRINUSE: "is in use",
        EACCES: "is not open to this user",
        EADDRNOTAVAIL: "is not an address of this machine",
      };
      const reason = why[cause.code as keyof typeof why] ?? "cannot be listened on";
      reject(new ServiceError("unavailable", `${host}:${port} ${reason}.`, { cause }));
    });
    server.listen(port, host, () => resolve());
  });
}

function urlOf(address: AddressInfo, host: string): string {
  const name =
    host === "0.0.0.0" || host === "::" || host === "" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${address.port}`;
}

/** Node bounds headers and idle connections, but not how slowly a body comes or an answer is read. */
function endStalled(flights: Map<Socket, Flight>, { stall, stallBytes }: Timeouts): void {
  const now = Date.now();
  for (const [socket, flight] of flights) {
    const { incoming, outgoing } = flight;
    if (!incoming || !outgoing) continue;
    const bytes = bytesMoved(socket);
    const waiting = !incoming.complete || outgoing.writableLength > 0;
    if (!waiting || bytes - flight.bytes >= stallBytes) {
      flight.bytes = bytes;
      flight.since = now;
    } else if (now - flight.since >= stall) {
      // Without the reset the kernel would keep the answer for a client that does not take it.
      socket.resetAndDestroy();
    }
  }
}

function isBeingRead({ outgoing }: Flight): boolean {
  return outgoing?.writableEnded === true && !outgoing.writableFinished;
}

/** A chunk that is on its way out counts when all of it has gone. */
function bytesMoved(socket: Socket): number {
  return socket.bytesRead + socket.bytesWritten - socket.writableLength;
}

async function shutDown(app: App, server: Server, flights: Map<Socket, Flight>, timeouts: Timeouts): Promise<void> {
  app.state.closing = true;
  const cut = setTimeout(() => server.closeAllConnections(), timeouts.grace);
  // Whoever sends a request meanwhile is answered and told that the connection ends: nobody meets a closed door halfway.
  await new Promise((resolve) => setTimeout(resolve, timeouts.notice));
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    const before = Date.now() - timeouts.notice;
    for (const [socket, flight] of flights) if (!flight.incoming && flight.since < before) socket.destroy();
  }, 100);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
