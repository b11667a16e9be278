import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../support/free-port.ts";
import { outputPattern, runBlocks, type ShellBlock, shellBlocks } from "./shell-blocks.ts";

const root = join(import.meta.dirname, "../..");

/** The ports of the page: of the service and of the receiver. */
const shownPorts = ["8420", "8430"];
const home = mkdtempSync(join(tmpdir(), "wcs-tutorial-"));
let blocks: ShellBlock[];
let outputs: string[];
let code: number | null;

beforeAll(async () => {
  let page = readFileSync(join(root, "docs/tutorial.md"), "utf8");
  for (const shown of shownPorts) page = page.replaceAll(shown, String(await freePort()));
  blocks = shellBlocks(page);
  // The clone of the project that the tutorial copies files from, and a program wcs on the path.
  symlinkSync(root, join(home, "wcs"));
  const bin = join(home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "wcs"), `#!/bin/sh\nexec '${process.execPath}' '${join(root, "bin/wcs.js")}' "$@"\n`);
  chmodSync(join(bin, "wcs"), 0o755);
  const path = [bin, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":");
  ({ outputs, code } = await runBlocks(blocks, { cwd: home, env: { HOME: home, PATH: path, TZ: "UTC" } }));
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

it("the commands of the tutorial succeed from top to bottom", () => {
  expect({ code, last: outputs.at(-1) }).toMatchObject({ code: 0 });
  expect(blocks.length).toBeGreaterThan(12);
  expect(outputs).toHaveLength(blocks.length);
});

it("the tutorial shows the output of its commands", () => {
  for (const [at, { commands, output }] of blocks.entries()) {
    const actual = (outputs[at] ?? "").replaceAll(home, "/home/ada");
    expect(output, `The output of this is not shown:\n${commands}`).toBeDefined();
    expect(actual, commands).toMatch(outputPattern(output ?? ""));
  }
});

it("an output with other text, more lines or fewer lines does not match", () => {
  const pattern = outputPattern("Saved … (… kB).\n2 rows\n");
  expect("Saved a.db (700 kB).\n2 rows\n").toMatch(pattern);
  for (const other of ["Saved a.db (700 kB).\n3 rows\n", "Saved a.db (700 kB).\n2 rows\n\n", "2 rows\n"]) {
    expect(other).not.toMatch(pattern);
  }
});
