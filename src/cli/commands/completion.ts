import type { OwnLeaf } from "../tree.ts";

const shells = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof shells)[number];

export const completion: OwnLeaf = {
  summary: "Completion for bash, zsh, fish and PowerShell",
  description: `Prints the script. Put it where the shell looks for it:

  bash        wcs completion bash > ~/.local/share/bash-completion/completions/wcs
  zsh         wcs completion zsh > "\${fpath[1]}/_wcs"
  fish        wcs completion fish > ~/.config/fish/completions/wcs.fish
  powershell  wcs completion powershell >> $PROFILE`,
  args: [{ name: "shell", completes: shells }],
  async run({ args, terminal }) {
    const { script } = await import("../completion/script.ts");
    await terminal.write(await script(args.shell as string));
  },
};
