import { stripVTControlCharacters } from "node:util";
import { expect, it } from "vitest";
import { useHome } from "./support.ts";

const home = useHome();
const table = ["users", "list", "-o", "table"];

it("a table has the same text with and without colour", async () => {
  const plain = await home().spawn(table, { env: { NO_COLOR: "1" } });
  const coloured = await home().spawn(table, { env: { FORCE_COLOR: "1" } });
  expect(coloured.stdout).not.toBe(plain.stdout);
  expect(stripVTControlCharacters(coloured.stdout)).toBe(plain.stdout);
});
