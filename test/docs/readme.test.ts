import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { withOperationsTable } from "../../scripts/operations-table.ts";
import { allOperations } from "../../src/contract/rooms.ts";

it("the README lists the operations of the contract", async () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  expect(readme).toBe(withOperationsTable(readme, await allOperations()));
});
