import { writeFile } from "node:fs/promises";
import { fileNames, script } from "../src/cli/completion/completion-script.ts";
import { registry } from "../src/cli/registry.ts";

for (const [shell, name] of Object.entries(fileNames))
  await writeFile(`completions/${name}`, await script(shell, registry));
