import { type Shell, shells } from "../../completion/completion-script.ts";
import { type Commands, type CustomCommand, dryRunFlag } from "../../kit/command-spec.ts";

const printing = (shell: Shell): CustomCommand => ({
  summary: `Print the completion script for ${shell === "powershell" ? "PowerShell" : shell}`,
  async run({ terminal, program }) {
    const { script } = await import("../../completion/completion-script.ts");
    await terminal.write(await script(shell, program.registry));
  },
});

const install: CustomCommand = {
  summary: "Install completion for your shell",
  description: `Writes the completion script where the shell finds it, and says which files were written. zsh and PowerShell also need a
line in their start-up file, and bash the package bash-completion. Running it again updates the script.

  bash        $XDG_DATA_HOME/bash-completion/completions/wcs
  zsh         ~/.zfunc/_wcs and ~/.zshrc, in $ZDOTDIR if set
  fish        $XDG_CONFIG_HOME/fish/completions/wcs.fish
  powershell  wcs-completion.ps1 beside the profile, and the profile`,
  args: [
    {
      name: "shell",
      optional: true,
      description: `Shell: ${shells.join(", ")} (default that of $SHELL)`,
      completes: shells,
    },
  ],
  flags: [dryRunFlag],
  examples: ["wcs completion install", "wcs completion install zsh"],
  run: async (context) => (await import("./install-completion.ts")).installCompletion(context),
};

export const completion: Commands = { ...Object.fromEntries(shells.map((shell) => [shell, printing(shell)])), install };
