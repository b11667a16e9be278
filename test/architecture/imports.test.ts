import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";

const source = join(import.meta.dirname, "../../src");

/** What each room may import of the others; besides, each imports itself. */
const allowed: Record<string, readonly string[]> = {
  contract: [],
  store: ["contract"],
  core: ["contract", "store"],
  delivery: ["contract", "store"],
  http: ["contract"],
  cli: ["contract", "http"],
};
/** The places where the command line meets the service itself. */
const embedding = /^cli\/(connect|serve|deliver|doctor\/database|database\/[a-z]+|commands\/(init|demo))\.ts$/;
/** What the contract is written in; everything else a package may be imported by whoever needs it. */
const contractPackages = ["zod"];

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), "utf8");
  const found = text.matchAll(/(?:\bfrom\s+|\bimport\(\s*|^import\s+)["']([^"']+)["']/gm);
  return [...found].map(([, target = ""]) =>
    target.startsWith(".") ? relative(source, join(source, dirname(file), target)) : target,
  );
}

const roomOf = (file: string) => file.split("/")[0] ?? "";
const isFile = (target: string) => imports.has(target);

it("rooms import in one direction", () => {
  const wrong: string[] = [];
  for (const [file, targets] of imports) {
    for (const target of targets.filter(isFile)) {
      const [from, to] = [roomOf(file), roomOf(target)];
      const fine = from === to || allowed[from]?.includes(to) || (from === "cli" && embedding.test(file));
      if (!fine) wrong.push(`${file} -> ${target}`);
    }
  }
  expect(wrong).toEqual([]);
});

it("the contract imports zod only", () => {
  const wrong = [...imports]
    .filter(([file]) => roomOf(file) === "contract")
    .flatMap(([file, targets]) =>
      targets
        .filter((target) => !isFile(target) && !contractPackages.includes(target))
        .map((target) => `${file} -> ${target}`),
    );
  expect(wrong).toEqual([]);
});

it("rooms of the core do not import each other", () => {
  const rooms = new Set([
    "auth",
    "users",
    "units",
    "usertypes",
    "languages",
    "timezones",
    "settings",
    "webhooks",
    "conversations",
  ]);
  const room = (file: string) => {
    const [, name = ""] = /^core\/(\w+)(?:\/|\.ts$)/.exec(file) ?? [];
    return rooms.has(name) ? name : undefined;
  };
  const wrong: string[] = [];
  for (const [file, targets] of imports) {
    for (const target of targets) {
      const [from, to] = [room(file), room(target)];
      if (from && to && from !== to) wrong.push(`${file} -> ${target}`);
    }
  }
  expect(wrong).toEqual([]);
});

it("there are no circles", () => {
  const circles: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, above: string[]) => {
    if (above.includes(file)) circles.push([...above.slice(above.indexOf(file)), file].join(" -> "));
    if (done.has(file) || above.includes(file)) return;
    for (const target of staticImportsOf(file)) walk(target, [...above, file]);
    done.add(file);
  };
  for (const file of files) walk(file, []);
  expect(circles).toEqual([]);
});

/** Imports that matter when modules are loaded: not those of types, not those on demand. */
function staticImportsOf(file: string): string[] {
  const text = readFileSync(join(source, file), "utf8");
  return [...text.matchAll(/^(?:import|export)\s+(?!type\b)[^;"'`]*?from\s+["'](\.[^"']+)["']/gm)]
    .map(([, target = ""]) => relative(source, join(source, dirname(file), target)))
    .filter(isFile);
}

it("only the terminal writes to the console, only bin ends the process", () => {
  const wrong = files.filter((file) => {
    const text = readFileSync(join(source, file), "utf8");
    return (
      /\bconsole\.|process\.exit\(/.test(text) ||
      (/process\.std(out|err)\b/.test(text) && file !== "cli/terminal.ts" && file !== "cli/main.ts")
    );
  });
  expect(wrong).toEqual([]);
});
