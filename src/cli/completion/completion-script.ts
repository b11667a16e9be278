import { UsageError } from "../errors/cli-errors.ts";
import { suggestName } from "../errors/nearest-name.ts";
import type { Registry } from "../kit/command-spec.ts";
import { bash } from "./bash-script.ts";
import { createModel, type Model } from "./completion-model.ts";
import { fish } from "./fish-script.ts";
import { powershell } from "./powershell-script.ts";
import { zsh } from "./zsh-script.ts";

const scripts: Readonly<Record<string, (model: Model) => string>> = { bash, zsh, fish, powershell };

/** Names of the completion scripts by shell. */
export const fileNames: Readonly<Record<string, string>> = {
  bash: "wcs.bash",
  zsh: "_wcs",
  fish: "wcs.fish",
  powershell: "wcs.ps1",
};

/** Creates the completion script of a shell. */
export async function script(shell: string, registry: Registry): Promise<string> {
  const make = scripts[shell];
  if (make) return make(await createModel(registry));
  const meant = suggestName(shell, Object.keys(scripts));
  throw new UsageError(`<shell> must be one of ${Object.keys(scripts).join(", ")}, not '${shell}'`, {
    hint: meant && `did you mean ${meant}?`,
  });
}
