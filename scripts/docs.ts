import { readFileSync, writeFileSync } from "node:fs";
import { generateApiReference } from "./api-reference.ts";
import { withExitCodes } from "./exit-code-table.ts";

const file = new URL("../docs/api.md", import.meta.url);
writeFileSync(file, await generateApiReference(readFileSync(file, "utf8")));

const readme = new URL("../README.md", import.meta.url);
writeFileSync(readme, withExitCodes(readFileSync(readme, "utf8")));
