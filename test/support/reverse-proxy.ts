import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReverseProxy {
  /** The public URL of the service: that of the proxy, with the prefix. */
  readonly url: string;
  /** Paths that were asked for outside the prefix. */
  readonly outside: string[];
  close(): Promise<void>;
}

/** Serves the service at `target` below `prefix`, which it removes from the path. */
export async function startProxy(target: string, prefix: string): Promise<ReverseProxy> {
  const outside: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url = "" } = incoming;
    if (!new RegExp(`^${prefix}(?=[/?]|$)`).test(url)) {
      outside.push(url);
      outgoing.writeHead(404).end();
      return;
    }
    const path = url.slice(prefix.length).replace(/^(?!\/)/, "/");
    const forwarded = request(new URL(target), { method, headers, path }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    outside,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
