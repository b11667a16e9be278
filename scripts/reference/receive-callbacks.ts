import { startServer } from "./start-server.ts";

/** Starts a receiver of webhook callbacks that keeps the first body of each type in `bodies`. */
export async function startReceiver() {
  const bodies = new Map<string, string>();
  const server = await startServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray()).toString();
    const { type } = JSON.parse(body) as { type: string };
    if (!bodies.has(type)) bodies.set(type, body);
    outgoing.writeHead(204).end();
  });
  return { ...server, bodies };
}
