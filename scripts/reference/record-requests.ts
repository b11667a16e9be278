import { request } from "node:http";
import { startServer } from "./start-server.ts";

/** A request over HTTP and its response. */
export interface Exchange {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly request: string;
  readonly status: number;
  readonly response: string;
}

/** Starts a server that passes requests on to `target` and records each with its response in `exchanges`. */
export async function startRecorder(target: string) {
  const exchanges: Exchange[] = [];
  const server = await startServer(async (incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    const body = Buffer.concat(await incoming.toArray());
    const onward = request(new URL(url, target), { method, headers, agent: false }, async (answer) => {
      const received = Buffer.concat(await answer.toArray());
      const status = answer.statusCode ?? 0;
      exchanges.push({ method, path: url, request: body.toString(), status, response: received.toString() });
      outgoing.writeHead(status, answer.headers).end(received);
    });
    onward.on("error", () => outgoing.destroy());
    onward.end(body);
  });
  return { ...server, exchanges };
}
