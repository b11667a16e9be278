import { randomUUID } from "node:crypto";
import http, { type IncomingMessage, type Server, type ServerResponse } from "node:http";
import net, { type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { getRequestListener, RequestError } from "@hono/node-server";
import { ServiceError } from "../../contract/errors.ts";
import { clientAddress } from "./client-address.ts";
import { Connections, type Deadlines } from "./connections.ts";
import { Exchange, rawError, type ServerLog } from "./exchange.ts";
import type { App } from "./routing.ts";
import { Door, type ShutdownStep, type ShutdownTimes, shutDown } from "./shutdown.ts";

interface Timeouts extends Deadlines, ShutdownTimes {
  /** Milliseconds between two checks for slow connections. */
  check: number;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly timeouts?: Partial<Timeouts>;
  /** Lets other processes of this user listen on the port at the same time; the system chooses who gets a connection. */
  readonly reusePort?: boolean;
  /** Resolves when all processes that share the port have reached this step of the shutdown. Default: there is only this one. */
  readonly inStep?: (step: ShutdownStep) => Promise<void>;
}

export type Listening = Awaited<ReturnType<typeof listen>>;

/** Node's default of 511 connections that wait is too few when many clients reconnect at once. */
const backlog = 4096;

const defaultTimeouts: Timeouts = {
  headers: 20_000,
  idle: 65_000,
  body: 20_000,
  rate: 50,
  stall: 55_000,
  stallBytes: 65_536,
  check: 1_000,
  notice: 1_000,
  quiet: 100,
  grace: 27_000,
};

/** Starts a server for the app. Its URL becomes the app's `servedAt`. */
export async function listen(app: App, options: ListenOptions) {
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const refuse: Refuse = (socket, error, allow) => refuseOn(app.state.log, socket, error, allow);
  const connections = new Connections(timeouts, (socket) => refuse(socket, tooLate()));
  const door = new Door();
  const server = createServer(app, { timeouts, connections, door, refuse });
  await startListening(server, options, { backlog, reusePort: options.reusePort ?? false });
  const url = urlOf(server.address() as AddressInfo, options.host);
  app.state.servedAt = url;
  // Takes the time before the poll phase and checks after it, so that bytes that arrived while the event loop was blocked
  // count as on time.
  const check = (now: number) => connections.check(now);
  const watch = setInterval(() => setImmediate(check, performance.now()), timeouts.check);
  watch.unref();
  let closed: Promise<void> | undefined;
  /** Finishes running requests, for at most `grace` ms. */
  const close = async () => {
    app.state.closing = true;
    closed ??= shutDown({ server, connections, door, inStep: options.inStep }, timeouts).finally(() =>
      clearInterval(watch),
    );
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
    // `connections` has deadlines of its own; Node's would end a steady upload after five minutes. 0 also turns off headersTimeout.
    requestTimeout: 0,
    keepAliveTimeout: timeouts.idle,
    // Checked below, because Node's own response has no body.
    requireHostHeader: false,
  });
  server.on("connection", (socket) => connections.add(socket));
  // Node treats a connection as idle as soon as its response was written, even while the client still reads it.
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    if (!connections.areBeingRead) closeIdle();
  };
  const answer: App["fetch"] = async (...request) => {
    const response = await app.fetch(...request);
    if (door.opens !== undefined) await door.opens;
    return response;
  };
  const respond = getRequestListener(answer, {
    hostname: "localhost",
    errorHandler: (error) => {
      const exchange = new Exchange(app.state, "unmatched", new Request("http://localhost/"), undefined);
      return exchange.fail(error instanceof RequestError ? badRequest("The URL or Host header is not valid.") : error);
    },
  });
  server.on("request", (incoming, outgoing) =>
    handleInTurn(incoming.socket, outgoing, () => handle(incoming, outgoing)),
  );
  const handle = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // The connection was already answered for being too late.
    if (incoming.socket.writableEnded) return;
    connections.begin(incoming, outgoing);
    const wrong = wrongHost(incoming);
    if (wrong !== undefined) refuse(incoming.socket, badRequest(wrong));
    else void respond(incoming, outgoing);
  };
  // The reader of the body asks for it.
  server.on("checkContinue", (incoming, outgoing) => server.emit("request", incoming, outgoing));
  refuseTheRest(server, connections, refuse);
  return server;
}

/** Numbers of requests that have arrived and wait for the earlier ones of their connection. */
const waitingRequests = new WeakMap<Socket, number>();

/**
 * Handles a request after the earlier ones of its connection. Node would start all pipelined ones at once: those of one client
 * would run before anything of others, and their responses would wait in memory.
 */
function handleInTurn(socket: Socket, outgoing: ServerResponse, handle: () => void): void {
  // Node assigns the socket to one response at a time.
  if (outgoing.socket !== null) {
    handle();
    return;
  }
  waitingRequests.set(socket, (waitingRequests.get(socket) ?? 0) + 1);
  // Reads no further requests while some are waiting in memory. Node resumes the socket in the tick after each request, so the
  // pause comes after that.
  const pause = () => {
    if ((waitingRequests.get(socket) ?? 0) > 0) socket.pause();
  };
  process.nextTick(() => process.nextTick(pause));
  outgoing.once("socket", () => {
    const left = (waitingRequests.get(socket) ?? 1) - 1;
    waitingRequests.set(socket, left);
    if (left === 0) socket.resume();
    handle();
  });
}

/** Returns the issue with the number of Host headers (RFC 9112, section 3.2). */
function wrongHost({ rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  if (hosts > 1) return "The request has more than one Host header.";
  return hosts === 0 && httpVersion === "1.1" ? "The request has no Host header." : undefined;
}

type Refuse = (socket: Duplex, error: ServiceError, allow?: string) => void;

/** Responds to the cases that Node would answer or drop by itself. */
function refuseTheRest(server: Server, connections: Connections, refuse: Refuse): void {
  server.on("checkExpectation", ({ socket }: IncomingMessage) => {
    refuse(socket, badRequest("The only supported expectation is 100-continue."));
  });
  server.on("connect", (_, socket) => {
    const error = new ServiceError("method_not_allowed", "This is not a proxy.");
    refuse(socket, error, "GET, HEAD, POST, PUT, PATCH, DELETE");
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const begun = connections.answerOn(socket as Socket);
    if (error.code === "ECONNRESET" || (begun?.headersSent && !begun.writableFinished)) socket.destroy();
    else refuse(socket, clientError(error.code));
  });
}

const badRequest = (message: string) => new ServiceError("bad_request", message);
const tooLate = () => badRequest("The request did not arrive in time.");

function clientError(code: string | undefined): ServiceError {
  if (code === "HPE_HEADER_OVERFLOW") return badRequest("The headers of the request are too large.");
  return badRequest("The request is not valid HTTP.");
}

/** Reads for a moment what still arrives, so that the response is not lost to a reset. */
function refuseOn(log: ServerLog, socket: Duplex, error: ServiceError, allow?: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const id = randomUUID();
  // Behind a proxy this is the proxy's address: without a valid request there is no header that names the client.
  const address = clientAddress((socket as Socket).remoteAddress, undefined, undefined) ?? null;
  log.info({ route: "unmatched", status: error.status, request_id: id, address }, "request refused");
  socket.on("error", () => socket.destroy());
  socket.end(rawError(error, id, allow));
  socket.resume();
  setTimeout(() => socket.destroy(), 500).unref();
}

function startListening(server: net.Server, options: ListenOptions, how: net.ListenOptions): Promise<void> {
  const { host, port } = options;
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => reject(listenError(cause, options)));
    server.listen({ host, port, ...how }, resolve);
  });
}

/** Throws `unavailable` for a port that is not free. Listens for a moment, because only the system knows all reasons. */
export async function requireFreePort(options: ListenOptions): Promise<void> {
  const server = net.createServer();
  await startListening(server, options, { exclusive: true });
  await server[Symbol.asyncDispose]();
}

function listenError(cause: NodeJS.ErrnoException, { host, port }: ListenOptions): ServiceError {
  const isLow = cause.code === "EACCES" && port < 1024;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "is in use",
    EACCES: isLow ? "is not open to this user, because the port is below 1024" : "is not open to this user",
    EADDRNOTAVAIL: "is not an address of this machine",
  };
  const reason = reasons[cause.code ?? ""] ?? "cannot be listened on";
  const hint =
    "Use port 1024 or higher behind a reverse proxy, or give the service the capability CAP_NET_BIND_SERVICE.";
  return new ServiceError("unavailable", `${host}:${port} ${reason}.`, { cause, hint: isLow ? hint : undefined });
}

function urlOf(address: AddressInfo, host: string): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${address.port}`;
}
