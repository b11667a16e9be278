import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { referencePages } from "./reference/reference-pages.ts";

// Writes docs/reference, or with --check exits with 1 when it is out of date.
const folder = join(import.meta.dirname, "../docs/reference");
const pages = await referencePages();
const present = new Set(globSync("**/*.md", { cwd: folder }));
const read = (name: string) => (present.has(name) ? readFileSync(join(folder, name), "utf8") : undefined);
const changed = [...pages].filter(([name, text]) => read(name) !== text);
const obsolete = [...present].filter((name) => !pages.has(name));

if (process.argv.includes("--check")) {
  const names = [...changed.map(([name]) => name), ...obsolete];
  for (const name of names) process.stderr.write(`docs/reference/${name} is out of date; run npm run docs.\n`);
  process.exitCode = names.length > 0 ? 1 : 0;
} else {
  for (const [name, text] of changed) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  for (const name of obsolete) rmSync(join(folder, name));
}
