import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { openDatabase } from "../../src/store/open-database.ts";
import { prepared } from "../../src/store/prepared.ts";
import { get, put, useDatabase } from "../store/support.ts";
import { listening } from "../support/engine.ts";

const open = useDatabase("postgres");
const limit = 30_000;
const everything = prepared((db) => db.selectFrom("settings").selectAll());

/** A proxy before PostgreSQL that can leave its connections open and pass on nothing, and still accepts new ones. */
async function startProxy(target: string) {
  const { hostname, port } = new URL(target);
  const frozen = new WeakSet<Socket>();
  const sockets = new Set<Socket>();
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on("data", (bytes) => frozen.has(from) || to.write(bytes));
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

it("Statements on connections that PostgreSQL answers no longer fail, and those after them use new ones", async () => {
  const proxy = await startProxy(open().target);
  const database = await openDatabase(proxy.target);
  onTestFinished(proxy.close);
  database.limitAnswers();
  onTestFinished(await listening(database, "postgres"));
  // As many as the pool has connections.
  await Promise.all(Array.from({ length: 10 }, () => get(database, "none")));
  const timers = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => void timers.mockRestore());
  const due = () => timers.mock.calls.filter(([, milliseconds]) => milliseconds === limit);
  proxy.freeze();
  const statements = [
    // The server sends several of these over each of four connections.
    ...Array.from({ length: 20 }, () => everything(database.reader, {})),
    ...Array.from({ length: 5 }, () => get(database, "none")),
    database.write((tx) => put(tx, "meanwhile", 1)),
  ];
  const results = Promise.all(
    statements.map((each: Promise<unknown>) => each.catch((error) => database.explain(error))),
  );
  await expect.poll(() => due().length).toBe(10);
  for (const [end] of due()) end();
  for (const result of await results) expect(result).toMatchObject({ code: "unavailable" });
  await database.write((tx) => put(tx, "after", 1));
  expect([await get(database, "meanwhile"), await get(database, "after")]).toEqual([undefined, "1"]);
  // Does not wait for the connection that listens.
  await database.close();
});
