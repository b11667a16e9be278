import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { registry } from "../src/cli/registry.ts";
import { manualPages } from "./manual.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder: node scripts/man-pages.ts FOLDER");
await mkdir(folder, { recursive: true });
for (const [name, text] of await manualPages(registry)) await writeFile(join(folder, name), text);
