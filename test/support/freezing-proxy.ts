import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

const shorten = (bytes: Buffer) => Buffer.from(bytes.toString("latin1").replace(/ = '(\d)0s'/g, " = '0$1s'"), "latin1");

/**
 * A proxy before PostgreSQL that can leave its connections open and pass on nothing, and still accepts new ones. Makes the
 * limits of a transaction, such as '10s', a tenth of what they are.
 */
export async function startFreezingProxy(target: string) {
  const { hostname, port } = new URL(target);
  const frozen = new WeakSet<Socket>();
  const sockets = new Set<Socket>();
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on("data", (bytes) => frozen.has(from) || to.write(shorten(bytes)));
    from.on("close", () => frozen.has(from) || to.destroy());
    from.on("error", () => {});
  };
  const server = createServer((client) => {
    const backend = connect(Number(port), hostname);
    pass(client, backend);
    pass(backend, client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    target: url.href,
    freeze() {
      for (const socket of sockets) frozen.add(socket);
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
