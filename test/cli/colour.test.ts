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

it("CLICOLOR_FORCE enables colour as FORCE_COLOR does, except 0 and beside NO_COLOR", async () => {
  const stdoutWith = async (env: Record<string, string>) => (await home().spawn(table, { env })).stdout;
  const plain = await stdoutWith({});
  expect(await stdoutWith({ CLICOLOR_FORCE: "1" })).toBe(await stdoutWith({ FORCE_COLOR: "1" }));
  expect(await stdoutWith({ CLICOLOR_FORCE: "1" })).not.toBe(plain);
  expect(await stdoutWith({ CLICOLOR_FORCE: "0" })).toBe(plain);
  expect(await stdoutWith({ CLICOLOR_FORCE: "1", NO_COLOR: "1" })).toBe(plain);
});
