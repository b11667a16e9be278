import { connect, createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { units } from "../../src/contract/units.ts";
import { createService } from "../../src/core/service.ts";
import { openDatabase } from "../../src/store/open-database.ts";
import { type Instance, newInstance } from "../support/instance.ts";

/** When a connection breaks: before a COMMIT reaches PostgreSQL, or before its answer comes back. */
type Break = "never" | "before" | "after";

let instance: Instance;
let proxy: Server;
let breaks: Break = "never";
beforeAll(async () => {
  instance = await newInstance({ database: "postgres", caller: "local" });
  const { hostname, port } = new URL(instance.target);
  proxy = createServer((client) => relay(client, connect(Number(port), hostname)));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  proxy.close();
  await instance.close();
});

function relay(client: Socket, server: Socket): void {
  let committing = false;
  for (const socket of [client, server]) socket.on("error", () => {});
  client.on("data", (bytes) => {
    committing = bytes.includes("commit");
    if (committing && breaks === "before") client.destroy();
    else server.write(bytes);
  });
  server.on("data", (bytes) => {
    if (committing && breaks === "after") client.destroy();
    else client.write(bytes);
  });
  client.on("close", () => server.end());
  server.on("close", () => client.end());
}

it.each([
  ["before", 0],
  ["after", 1],
] as const)("A commit whose connection breaks %s it is not said to have changed nothing", async (when, made) => {
  const url = new URL(instance.target);
  url.port = String((proxy.address() as { port: number }).port);
  const database = await openDatabase(url.href);
  const caller = createService({ database }).caller({ userId: 1 });
  await caller.call(units.create, { name: `Before the break ${when}`, parent: 1 });
  breaks = when;
  const name = `Broken ${when}`;
  await expect(caller.call(units.create, { name, parent: 1 })).rejects.toMatchObject({
    code: "unavailable",
    message: "The database failed while saving. The change may or may not have been saved; check before you repeat it.",
  });
  breaks = "never";
  const { reader } = instance.database;
  const rows = () => reader.selectFrom("units").select("id").where("name", "=", name).execute();
  await expect.poll(async () => (await rows()).length).toBe(made);
  await caller.call(units.create, { name: `After the break ${when}`, parent: 1 });
  await database.close();
});
