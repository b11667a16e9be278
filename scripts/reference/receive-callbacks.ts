import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Starts a receiver of webhook callbacks that keeps the first body of each type in `bodies`. */
export async function startReceiver() {
  const bodies = new Map<string, string>();
  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray()).toString();
    const { type } = JSON.parse(body) as { type: string };
    if (!bodies.has(type)) bodies.set(type, body);
    outgoing.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
