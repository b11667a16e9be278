import { expect, it } from "vitest";
import { encodeOutput } from "../../src/http/server/encode-output.ts";
import { turnsDuring } from "../support/turns.ts";

it("encodeOutput lets other requests run while it writes a large list, and writes what JSON.stringify does", async () => {
  const items = Array.from({ length: 101 }, (_, id) => ({ id, body: id === 0 ? "" : "å😀".repeat(50_000) }));
  const output = { meta: { total: 101 }, left: undefined, data: items, links: null };
  const encoding = Promise.resolve(encodeOutput(output));
  expect(await turnsDuring(encoding)).toBeGreaterThan(2);
  expect(Buffer.from(await encoding).toString()).toBe(JSON.stringify(output));
});
