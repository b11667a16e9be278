import { createHash } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect, type Socket } from "node:net";
import { allOperations } from "../../src/contract/all-operations.ts";
import type { Content } from "../../src/contract/file-schemas.ts";
import type { AnyOperation, Origin } from "../../src/contract/operation.ts";
import { type AppOptions, createApp } from "../../src/http/app.ts";
import { answerShapeOf } from "../../src/http/client/read-answer.ts";
import { type Listening, type ListenOptions, listen } from "../../src/http/server/listen.ts";

export const operations = await allOperations();

/** A call of the fake core. */
export interface Call {
  readonly op: AnyOperation;
  readonly input: unknown;
  readonly origin: Origin;
}

export interface Fake extends Listening {
  readonly port: number;
  readonly calls: Call[];
  readonly logs: Record<string, unknown>[];
}

/** Fields of many responses and of downloads. */
export function usualAnswer({ op }: Call): unknown {
  if (op.bytes) return contentOf("Hello");
  const { items, field } = answerShapeOf(op);
  return {
    ...(items && { [items]: [] }),
    ...(field && { [field]: {} }),
    ...{ id: 7, name: "Ann" },
    ...(op.location?.includes("{conversationId}") && { conversationId: 5 }),
  };
}

/** Returns a text as the content with which the core answers a request for a file. */
export function contentOf(text: string, more: Partial<Content> = {}): Content {
  const bytes = Buffer.from(text);
  const sha256 = createHash("sha256").update(bytes).digest("base64url");
  const read = async function* (from?: number, to?: number) {
    yield bytes.subarray(from, to);
  };
  return { name: "hello.txt", mime: "text/plain", size: bytes.length, sha256, read, ...more };
}

const standard = {
  ready: async () => true,
  baseUrl: async () => null,
  version: "0.0.0",
  instance: async () => ({ name: "wcs", minPasswordLength: 8 }),
  admit: async () => 1,
  bodyLimit: 1_048_576,
  uploadLimit: 41_943_040,
};

/** Starts a server whose core answers with `answer`. */
export async function serveFake(
  answer: (call: Call) => unknown = usualAnswer,
  options: Partial<AppOptions> & Partial<ListenOptions> = {},
): Promise<Fake> {
  const calls: Call[] = [];
  const logs: Record<string, unknown>[] = [];
  const write = (level: string) => (fields: object, message: string) => void logs.push({ level, message, ...fields });
  const app = createApp({
    operations,
    invoke: async (op, input, origin) => {
      const call = { op, input, origin };
      calls.push(call);
      return answer(call);
    },
    log: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
    ...standard,
    ...options,
  });
  const timeouts = { notice: 0, ...options.timeouts };
  const listening = await listen(app, { host: "127.0.0.1", port: 0, ...options, timeouts });
  return { ...listening, port: Number(new URL(listening.url).port), calls, logs };
}

/** Returns the server's socket of the next connection. The server must be in this process. */
export function nextAccepted(): Promise<Socket> {
  return new Promise((resolve) => {
    const take = (message: unknown) => {
      unsubscribe("net.server.socket", take);
      resolve((message as { socket: Socket }).socket);
    };
    subscribe("net.server.socket", take);
  });
}

/** Writes texts to a socket and calls functions in between. Returns all received data when the other side has closed it. */
export function speak(port: number, ...parts: (string | Buffer | (() => Promise<void>))[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    // A server may reset the connection after its answer.
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "ECONNRESET" && error.code !== "EPIPE") reject(error);
    });
    socket.on("connect", async () => {
      for (const part of parts) {
        if (socket.destroyed) break;
        if (typeof part === "function") await part().catch(reject);
        else socket.write(part);
      }
    });
  });
}

/** Returns the parsed body of the last HTTP message in `text`. */
export function lastBody(text: string): { error?: { code: string; message: string; request_id: string } } {
  return JSON.parse(text.slice(text.lastIndexOf("\r\n\r\n") + 4));
}

export const json = (body: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

/** A promise that is resolved from outside. */
export function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}
