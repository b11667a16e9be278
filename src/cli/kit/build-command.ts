import { Argument, type Command, Option } from "commander";
import type { CommandFlag, CustomCommand } from "./command-spec.ts";
import { addSharedOptions, createCommand, type HelpOptions } from "./commander-command.ts";

/** Flags of commands that can be repeated, because they only read. */
export const watchFlags: readonly CommandFlag[] = [
  { flags: "--watch", description: "Repeat the command, and show its output again when it changes" },
  { flags: "--interval <duration>", description: "Pause between two runs with --watch (default 2s)" },
];

/** Builds the commander command of a custom command. */
export function buildOwn(leaf: CustomCommand, path: readonly string[], help: HelpOptions): Command {
  const command = createCommand(path, help, { examples: leaf.examples, sections: leaf.sections ?? [] }).description(
    describeCommand(leaf.summary, leaf.description),
  );
  for (const { name, optional, many, description } of leaf.args ?? []) {
    const shown = `${name}${many ? "..." : ""}`;
    command.addArgument(new Argument(optional ? `[${shown}]` : `<${shown}>`, description));
  }
  command.usage(usage((leaf.args ?? []).map(({ name, optional, many }) => ({ label: name, optional, many }))));
  for (const flag of [...(leaf.flags ?? []), ...(leaf.watchable ? watchFlags : [])]) command.addOption(ownOption(flag));
  addSharedOptions(command, leaf.prints === true);
  return command;
}

export function ownOption({ flags, description, repeat }: CommandFlag): Option {
  const option = new Option(flags, description);
  return repeat ? option.argParser((value, before: string[] | undefined) => [...(before ?? []), value]) : option;
}

export const describeCommand = (summary: string, description?: string): string =>
  [`${summary}.`, description].filter(Boolean).join("\n\n");

export function usage(
  args: readonly { label: string; optional?: true | undefined; many?: true | undefined }[],
): string {
  const shown = args.map(({ label, optional, many }) => {
    const name = `${label}${many ? "..." : ""}`;
    return optional ? `[${name}]` : `<${name}>`;
  });
  return [...shown, "[options]"].join(" ");
}
