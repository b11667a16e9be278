import { randomUUID } from "node:crypto";
import http, { type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError } from "@hono/node-server";
import { ServiceError } from "../contract/errors.ts";
import { Connections, type Deadlines } from "./connections.ts";
import { Exchange, type Log, rawError } from "./exchange.ts";
import type { App } from "./routing.ts";
import { Door, type ShutdownTimes, shutDown } from "./shutdown.ts";

export interface Timeouts extends Deadlines, ShutdownTimes {
  /** Milliseconds between two looks at how far connections have come. */
  check: number;
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

/** Connections that wait to be taken in. Node's 511 are fewer than a crowd that comes back at once. */
const backlog = 4096;

const standard: Timeouts = {
  headers: 20_000,
  idle: 65_000,
  body: 10_000,
  rate: 50,
  stall: 55_000,
  stallBytes: 65_536,
  check: 1_000,
  notice: 1_000,
  quiet: 100,
  grace: 28_000,
};

/** Starts a server for the app; `servedAt` of an app that was not told otherwise becomes its URL. */
export async function listen(app: App, options: ListenOptions): Promise<Listening> {
  const timeouts = { ...standard, ...options.timeouts };
  const refuse: Refuse = (socket, error, allow) => refuseOn(app.state.log, socket, error, allow);
  const connections = new Connections(timeouts, (socket) => refuse(socket, late()));
  const door = new Door();
  const server = createServer(app, { timeouts, connections, door, refuse });
  await bound(server, options);
  const url = urlOf(server.address() as AddressInfo, options.host);
  app.state.servedAt ??= url;
  const watch = setInterval(() => connections.check(), timeouts.check);
  watch.unref();
  let closed: Promise<void> | undefined;
  const close = async () => {
    app.state.closing = true;
    closed ??= shutDown({ server, connections, door }, timeouts).finally(() => clearInterval(watch));
    await closed;
  };
  return { url, close };
}

interface Parts {
  readonly timeouts: Timeouts;
  readonly connections: Connections;
  readonly door: Door;
  readonly refuse: Refuse;
}

function createServer(app: App, { timeouts, connections, door, refuse }: Parts): Server {
  const server = http.createServer({
    // `connections` has deadlines of its own, which also bound what comes between two requests.
    headersTimeout: 0,
    requestTimeout: 0,
    keepAliveTimeout: timeouts.idle,
    maxHeaderSize: 16_384,
    // Answered below: node's own answer has no body.
    requireHostHeader: false,
  });
  server.on("connection", (socket) => connections.add(socket));
  // For node a connection is idle as soon as its answer was handed over, though it may take long to be read.
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    if (!connections.areBeingRead) closeIdle();
  };
  const respond = getRequestListener(app.fetch, {
    hostname: "localhost",
    errorHandler: (error) => {
      const exchange = new Exchange(app.state, "unmatched", new Request("http://localhost/"), undefined);
      return exchange.fail(error instanceof RequestError ? badRequest("The URL or Host header is not valid.") : error);
    },
  });
  server.on("request", (incoming, outgoing) => {
    // It was too late, and has been told so.
    if (incoming.socket.writableEnded) return;
    connections.begin(incoming, outgoing);
    const wrong = wrongHost(incoming);
    if (wrong !== undefined) refuse(incoming.socket, badRequest(wrong));
    else if (door.opens === undefined) void respond(incoming, outgoing);
    else void door.opens.then(() => respond(incoming, outgoing));
  });
  // The body is asked for when there is somebody to read it.
  server.on("checkContinue", (incoming, outgoing) => server.emit("request", incoming, outgoing));
  refuseTheRest(server, connections, refuse);
  return server;
}

/** Returns what is wrong with the number of Host headers (RFC 9112, section 3.2). */
function wrongHost({ rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (hosts > 1) return "The request has more than one Host header.";
  return hosts === 0 && httpVersion === "1.1" ? "The request has no Host header." : undefined;
}

type Refuse = (socket: Duplex, error: ServiceError, allow?: string) => void;

/** What node would answer, or drop, in its own way. */
function refuseTheRest(server: Server, connections: Connections, refuse: Refuse): void {
  server.on("checkExpectation", ({ socket }: IncomingMessage) => {
    refuse(socket, badRequest("Of the expectations, only 100-continue can be met."));
  });
  server.on("connect", (_, socket) => {
    const error = new ServiceError("method_not_allowed", "This is not a proxy.");
    refuse(socket, error, "GET, HEAD, POST, PATCH, DELETE");
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const begun = connections.answerOn(socket as Socket);
    if (error.code === "ECONNRESET" || (begun?.headersSent && !begun.writableFinished)) socket.destroy();
    else refuse(socket, clientError(error.code));
  });
}

const badRequest = (message: string) => new ServiceError("bad_request", message);
const late = () => badRequest("The request did not arrive in time.");

function clientError(code: string | undefined): ServiceError {
  if (code === "HPE_HEADER_OVERFLOW") return badRequest("The headers of the request are too large.");
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
    server.listen({ port, host, backlog }, () => resolve());
  });
}

function urlOf(address: AddressInfo, host: string): string {
  const name =
    host === "0.0.0.0" || host === "::" || host === "" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${address.port}`;
}
