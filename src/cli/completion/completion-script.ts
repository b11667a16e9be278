import type { Registry } from "../kit/command-spec.ts";
import { bash } from "./bash-script.ts";
import { createModel, type Model } from "./completion-model.ts";
import { fish } from "./fish-script.ts";
import { powershell } from "./powershell-script.ts";
import { zsh } from "./zsh-script.ts";

export const shells = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof shells)[number];

const scripts: Readonly<Record<Shell, (model: Model) => string>> = { bash, zsh, fish, powershell };

export const fileNames: Readonly<Record<Shell, string>> = {
  bash: "wcs.bash",
  zsh: "_wcs",
  fish: "wcs.fish",
  powershell: "wcs.ps1",
};

export const script = async (shell: Shell, registry: Registry): Promise<string> =>
  scripts[shell](await createModel(registry));
