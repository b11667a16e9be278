import { writeFile } from "node:fs/promises";
import { fileNames, script, shells } from "../src/cli/completion/completion-script.ts";
import { registry } from "../src/cli/registry.ts";

for (const shell of shells) await writeFile(`completions/${fileNames[shell]}`, await script(shell, registry));
