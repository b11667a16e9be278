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

it.each([
  [100, "", "text"],
  [101, "", "bytes"],
  [25, "x".repeat(10_000), "text"],
  [26, "x".repeat(10_000), "bytes"],
  [26, "", "text"],
  // With its quotes, an item has a 64th of 131,072 characters, or one more.
  [64, "x".repeat(131_072 / 64 - 2), "text"],
  [64, "x".repeat(131_072 / 64 - 1), "bytes"],
])("encodeOutput writes a list of %i items as it is best for its length", async (length, item, form) => {
  const output = { data: Array(length).fill(item) };
  const encoded = encodeOutput(output);
  expect(typeof encoded === "string" ? "text" : "bytes").toBe(form);
  expect(Buffer.from(await encoded).toString()).toBe(JSON.stringify(output));
});
