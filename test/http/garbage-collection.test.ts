import { once } from "node:events";
import { connect } from "node:net";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { serveFake } from "./support.ts";

setFlagsFromString("--expose-gc");
const collect: (options: { type: "minor" }) => void = runInNewContext("gc");

/** Returns the bytes of objects that have outlived two collections of the young generation. */
function oldBytes(): number {
  for (let n = 0; n < 2; n++) collect({ type: "minor" });
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")!.space_used_size;
}

it("A request is collected with the young generation", async () => {
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const server = await serveFake(undefined, { invoke: async () => ({ id: 7 }), log: silent });
  const socket = connect(server.port, "127.0.0.1");
  const request = async (count: number) => {
    for (let n = 1; n <= count; n++) {
      socket.write("GET /api/users/7 HTTP/1.1\r\nHost: x\r\n\r\n");
      await once(socket, "data");
      if (n % 100 === 0) oldBytes();
    }
  };
  // Compiled code and what it learns from the first requests are kept.
  await request(500);
  const bytes: number[] = [];
  for (let round = 0; round < 3; round++) {
    const before = oldBytes();
    await request(500);
    bytes.push((oldBytes() - before) / 500);
  }
  // Each round would show what requests leave. One alone may also have what else V8 keeps by then.
  expect(Math.min(...bytes)).toBeLessThan(600);
  socket.destroy();
  await server.close();
});
