import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { onTestFinished } from "vitest";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

export interface Receiver {
  /** Base URL, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** Connections that were opened. */
  connections: number;
  /** Answers as the function says; default 200. */
  answer: (request: Received, response: ServerResponse) => void;
  /** Resolves when so many requests have come. */
  until(count: number): Promise<void>;
  close(): Promise<void>;
}

/** A real receiver of callbacks on loopback. */
export async function newReceiver(): Promise<Receiver> {
  const waiting = new Set<() => void>();
  const received: Received[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => {
      const { url = "", headers } = incoming;
      const request = { path: url, headers, body: Buffer.concat(chunks).toString(), at: Date.now() };
      received.push(request);
      receiver.answer(request, response);
      for (const look of waiting) look();
    });
  });
  server.on("connection", () => {
    receiver.connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    connections: 0,
    answer: (_, response) => void response.end("ok"),
    until: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

/** Starts a receiver, and closes it at the end of the test. */
export async function receiverOfTest(): Promise<Receiver> {
  const receiver = await newReceiver();
  onTestFinished(() => receiver.close());
  return receiver;
}

/** The message when the signature is good; throws when it is not. */
export function verify(
  secret: string,
  { body, headers }: Pick<Received, "body" | "headers">,
): { type: string; data: Record<string, unknown> } {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as never;
}
