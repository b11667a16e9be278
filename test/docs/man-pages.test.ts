import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { manualPages } from "../../scripts/manual.ts";
import { topics } from "../../src/cli/help/help-topics.ts";
import { buildCustomCommand } from "../../src/cli/kit/build-command.ts";
import { type CommandEntry, type CommandSpec, isGroup, isOperation } from "../../src/cli/kit/command-spec.ts";
import { buildOperation, createInputSpec } from "../../src/cli/kit/input-spec.ts";
import { registry } from "../../src/cli/registry.ts";
import { noPaint } from "../../src/cli/terminal/terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "wcs-man-"));
const hasMandoc = spawnSync("mandoc", ["-T", "lint", "/dev/null"]).error === undefined;
const files = ["wcs.1", ...Object.keys(registry).map((name) => `wcs-${name}.1`)].map((name) => join(folder, name));

beforeAll(async () => {
  for (const [name, text] of await manualPages(registry)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns a page's text without markup, in a single line. */
const pageText = (name: string) =>
  readFileSync(join(folder, name), "utf8")
    .replace(/\\f[BIR]|\\&/g, "")
    .replace(/\\-/g, "-")
    .replace(/\\\(aq/g, "'")
    .replace(/\\\(dq/g, '"')
    .replace(/\\\[u(\w+)\]/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/\s+/g, " ");

interface Place {
  readonly path: readonly string[];
  readonly leaf: CommandSpec;
}

function leavesOf(path: readonly string[], entry: CommandEntry): Place[] {
  if (!isGroup(entry)) return [{ path, leaf: entry }];
  return Object.entries(entry.commands).flatMap(([name, child]) => leavesOf([...path, name], child));
}

const look = { width: 100, paint: noPaint };

/** Returns the parts of a command that its page must contain. */
function partsOf({ path, leaf }: Place): string[] {
  const command = isOperation(leaf)
    ? buildOperation(leaf, path, look, createInputSpec(leaf))
    : buildCustomCommand(leaf, path, look);
  return [
    `wcs ${path.join(" ")} ${command.usage()}`,
    ...command.options.filter(({ hidden }) => !hidden).map(({ long }) => long?.replace(/^--(no-)?/, "") ?? ""),
    ...(leaf.examples ?? []).map((example) => `$ ${example.split(/ (?=--?\w|[|<>] )/)[0]}`),
  ];
}

it.each(Object.keys(registry))("wcs-%s(1) has every command with its flags and examples", async (name) => {
  const entry = await registry[name]?.load();
  const text = pageText(`wcs-${name}.1`);
  const parts = entry ? leavesOf([name], entry).flatMap(partsOf) : [];
  expect(parts.length).toBeGreaterThan(5);
  expect(parts.filter((part) => !text.includes(part))).toEqual([]);
});

it("wcs(1) names every page, variable and exit code", () => {
  const text = pageText("wcs.1");
  for (const name of Object.keys(registry)) expect(text).toContain(`wcs-${name}(1)`);
  const names = topics.environment?.match(/\bWCS_\w+/g) ?? [];
  expect(names.length).toBeGreaterThan(10);
  for (const name of [...names, '.SH "EXIT STATUS"', "130 interrupted"]) expect(text).toContain(name);
});

it("package.json names every page, so that npm installs it", () => {
  const { man } = JSON.parse(readFileSync("package.json", "utf8")) as { man: readonly string[] };
  expect([...man].sort()).toEqual(files.map((file) => `man/${basename(file)}`).sort());
});

it.skipIf(!hasMandoc)("mandoc has no warning about any page (skipped when there is no mandoc)", () => {
  const { stdout, stderr, status } = spawnSync("mandoc", ["-T", "lint", "-W", "warning", ...files], {
    encoding: "utf8",
  });
  expect(stdout + stderr).toBe("");
  expect(status).toBe(0);
});

it.skipIf(!hasMandoc)("every page fits 80 columns (skipped when there is no mandoc)", () => {
  const { stdout } = spawnSync("mandoc", ["-T", "utf8", "-O", "width=78", ...files], { encoding: "utf8" });
  const lines = stdout.replace(/.[\b]/g, "").split("\n");
  expect(lines.length).toBeGreaterThan(1000);
  expect(lines.filter((line) => [...line].length > 80)).toEqual([]);
});
