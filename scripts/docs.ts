import { readFileSync, writeFileSync } from "node:fs";
import { updateApiReference, updateReadme } from "./generated-sections.ts";

const file = new URL("../docs/api.md", import.meta.url);
writeFileSync(file, await updateApiReference(readFileSync(file, "utf8")));

const readme = new URL("../README.md", import.meta.url);
writeFileSync(readme, updateReadme(readFileSync(readme, "utf8")));
