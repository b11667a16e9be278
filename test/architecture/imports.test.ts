import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, it } from "vitest";
import { operationGroups } from "../../src/contract/operation-groups.ts";

const source = join(import.meta.dirname, "../../src");
const groupNames = Object.keys(operationGroups);

/** The folders that each folder of `src` may import besides itself. */
const allowed: Record<string, readonly string[]> = {
  contract: [],
  store: ["contract/errors.ts", "contract/shell-quote.ts"],
  core: ["contract", "store"],
  delivery: ["contract", "store"],
  http: ["contract"],
  cli: ["contract", "http", "store/make-folders.ts"],
};
/** The modules of the command line that may embed the service: they work on a database. */
const embedding =
  /^cli\/(session\/(open-caller|open-with-key|with-database)\.ts|commands\/(serve|init|demo|db|doctor)\/)/;

/** Folders of the core that subjects share; each may import those before it. */
const shared = ["pipeline", "visibility", "files", "directory"];
const subjects = groupNames.filter((name) => !shared.includes(name));
/** Puts the subjects together, and makes the first rows. */
const assembly = [
  "service.ts",
  "execute-operation.ts",
  "find-handler.ts",
  "admission.ts",
  "input-issues.ts",
  "bootstrap.ts",
];

/** Folders and files of the command line from the lowest up; each may import those before it. */
const layers = [
  "errors",
  "terminal",
  "time",
  "output",
  "file-io",
  "session",
  "kit",
  "help",
  "completion",
  "commands",
  "registry.ts",
  "run-line.ts",
  "main.ts",
];

const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** All imports of a file, of types and on demand included; a path with `${group}` stands for one of each group. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), "utf8");
  const found = text.matchAll(/(?:(?:\bfrom\s+|^import\s+)["']|\bimport\(\s*["'`])([^"'`]+)["'`]/gm);
  return [...found]
    .flatMap(([, target = ""]) => forEachGroup(target))
    .map((target) => (target.startsWith(".") ? relative(source, join(source, dirname(file), target)) : target));
}

function forEachGroup(target: string): string[] {
  return /\$\{group\}/.test(target) ? groupNames.map((name) => target.replace(/\$\{group\}/g, name)) : [target];
}

/** Imports between files of `src` that `isAllowed` does not allow. */
function forbidden(isAllowed: (file: string, target: string) => boolean): string[] {
  return [...imports].flatMap(([file, targets]) =>
    targets.filter((target) => imports.has(target) && !isAllowed(file, target)).map((target) => `${file} -> ${target}`),
  );
}

it("src: every import is of a file that exists", () => {
  const missing = [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => /\.ts$|\$\{/.test(target) && !imports.has(target))
      .map((target) => `${file} -> ${target}`),
  );
  expect(missing).toEqual([]);
});

const part = (file: string, at: number) => file.split("/")[at] ?? "";

it("src: folders import in one direction", () => {
  const wrong = forbidden((file, target) => {
    const [from, to] = [part(file, 0), part(target, 0)];
    if (from === to || (from === "cli" && embedding.test(file))) return true;
    return allowed[from]?.some((name) => name === to || name === target) ?? false;
  });
  expect(wrong).toEqual([]);
});

it("src/contract: imports no package but zod", () => {
  const wrong = [...imports]
    .filter(([file]) => part(file, 0) === "contract")
    .flatMap(([file, targets]) =>
      targets.filter((target) => !imports.has(target) && target !== "zod").map((target) => `${file} -> ${target}`),
    );
  expect(wrong).toEqual([]);
});

it("src/core: every folder is shared or a subject", () => {
  const found = new Set(files.filter((file) => part(file, 0) === "core").map((file) => part(file, 1)));
  expect([...found].toSorted()).toEqual([...shared, ...subjects, ...assembly].toSorted());
});

it("src/core: subjects import only what is shared, and that only what is below it", () => {
  const wrong = forbidden((file, target) => {
    if (part(file, 0) !== "core" || part(target, 0) !== "core") return true;
    const [from, to] = [part(file, 1), part(target, 1)];
    if (from === to || assembly.includes(from)) return true;
    const [rank, other] = [shared.indexOf(from), shared.indexOf(to)];
    return other >= 0 && (rank < 0 || other < rank);
  });
  expect(wrong).toEqual([]);
});

it("src/cli: every folder and file has its layer", () => {
  const found = new Set(files.filter((file) => part(file, 0) === "cli").map((file) => part(file, 1)));
  expect([...found].toSorted()).toEqual(layers.toSorted());
});

it("src/cli: layers import downwards", () => {
  const wrong = forbidden((file, target) => {
    if (part(file, 0) !== "cli" || part(target, 0) !== "cli") return true;
    return layers.indexOf(part(target, 1)) <= layers.indexOf(part(file, 1));
  });
  expect(wrong).toEqual([]);
});

/** Returns the circles of a graph, each as its nodes in order. */
function circlesIn(graph: ReadonlyMap<string, Iterable<string>>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const walk = (node: string, above: string[]) => {
    if (above.includes(node)) circles.push([...above.slice(above.indexOf(node)), node].join(" -> "));
    if (done.has(node) || above.includes(node)) return;
    for (const target of graph.get(node) ?? []) if (graph.has(target)) walk(target, [...above, node]);
    done.add(node);
  };
  for (const node of graph.keys()) walk(node, []);
  return circles;
}

it("src: no import cycles, imports of types and on demand included", () => {
  expect(circlesIn(imports)).toEqual([]);
});

it.each(["cli/commands", "cli/commands/organisation", "http", "delivery"])(
  "src/%s: folders import each other in one direction",
  (folder) => {
    const at = folder.split("/").length;
    const isInside = (file: string) => file.startsWith(`${folder}/`);
    const folders = new Map<string, string[]>();
    for (const [file, targets] of imports) {
      if (!isInside(file)) continue;
      const own = part(file, at);
      const others = targets.filter((target) => isInside(target) && part(target, at) !== own);
      folders.set(own, [...(folders.get(own) ?? []), ...others.map((target) => part(target, at))]);
    }
    expect([...folders.values()].flat()).not.toEqual([]);
    expect(circlesIn(folders)).toEqual([]);
  },
);

it("src: file names are unique", () => {
  const names = files.map((file) => file.split("/").at(-1) ?? "");
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

/** Names that files have in common by rule: a group has the same name in each layer, and loaders ask for rules and migrations by name. */
const byRule = [...groupNames, "admission", "checks", "up"];
/** Types that `wcs/client` publishes have the short names that its users read. */
const published = "http/fetch-client/client-types.ts";

it("src: no two exported things share a name", () => {
  const places = new Map<string, string[]>();
  for (const file of files.filter((name) => name !== published)) {
    const text = readFileSync(join(source, file), "utf8");
    const declarations = /^export (?:async )?(?:function\*?|class|const|let|type|interface|enum) (\w+)/gm;
    for (const name of new Set(Array.from(text.matchAll(declarations), ([, name = ""]) => name))) {
      places.set(name, [...(places.get(name) ?? []), file]);
    }
  }
  expect([...places].filter(([name, found]) => found.length > 1 && !byRule.includes(name))).toEqual([]);
});

it("src: only the terminal writes to the console, only bin ends the process", () => {
  const wrong = files.filter((file) => {
    const text = readFileSync(join(source, file), "utf8");
    return (
      /\bconsole\.|process\.exit\(/.test(text) ||
      (/process\.std(out|err)\b/.test(text) && file !== "cli/terminal/terminal.ts" && file !== "cli/main.ts")
    );
  });
  expect(wrong).toEqual([]);
});
