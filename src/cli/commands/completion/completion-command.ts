import type { CustomCommand } from "../../kit/command-spec.ts";

const shells = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof shells)[number];

export const completion: CustomCommand = {
  summary: "Print the completion script for bash, zsh, fish or PowerShell",
  description: `Save the script where the shell looks for it:

  bash        wcs completion bash > ~/.local/share/bash-completion/completions/wcs
  zsh         wcs completion zsh > "\${fpath[1]}/_wcs"
  fish        wcs completion fish > ~/.config/fish/completions/wcs.fish
  powershell  wcs completion powershell >> $PROFILE`,
  args: [{ name: "shell", description: `Shell: ${shells.join(", ")}`, completes: shells }],
  async run({ args, terminal, program }) {
    const { script } = await import("../../completion/completion-script.ts");
    await terminal.write(await script(args.shell as string, program.registry));
  },
};
