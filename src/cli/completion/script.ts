import { UsageError } from "../failure.ts";
import { nearest } from "../nearest.ts";
import { bash } from "./bash.ts";
import { fish } from "./fish.ts";
import { createModel, type Model } from "./model.ts";
import { powershell } from "./powershell.ts";
import { zsh } from "./zsh.ts";

const scripts: Readonly<Record<string, (model: Model) => string>> = { bash, zsh, fish, powershell };

/** The file in which a shell looks for its script. */
export const fileNames: Readonly<Record<string, string>> = {
  bash: "wcs.bash",
  zsh: "_wcs",
  fish: "wcs.fish",
  powershell: "wcs.ps1",
};

/** The completion script for a shell, made from the whole tree of commands. */
export async function script(shell: string): Promise<string> {
  const make = scripts[shell];
  if (make) return make(await createModel());
  const meant = nearest(shell, Object.keys(scripts));
  throw new UsageError(`<shell> must be one of ${Object.keys(scripts).join(", ")}, not '${shell}'`, {
    hint: meant && `did you mean ${meant}?`,
  });
}
