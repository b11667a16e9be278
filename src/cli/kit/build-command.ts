import { type Command, Option } from "commander";
import type { CommandArgument, CommandFlag, CustomCommand } from "./command-spec.ts";
import { addSharedOptions, createCommand, type HelpOptions } from "./commander-command.ts";

/** Flags of commands that can be repeated, because they only read. */
export const watchFlags: readonly CommandFlag[] = [
  { flags: "--watch", description: "Repeat the command, and show its output again when it changes" },
  { flags: "--interval <duration>", description: "Pause between two runs with --watch (default 2s)" },
];

export const idempotencyFlag: CommandFlag = {
  flags: "--idempotency-key <key>",
  description: "Do this only once per key within 24 hours",
};

/** Matches the options that select what is printed, for commands that write a file of their own. */
export const selectingFlags = /--(fields|query|template|raw)/;

export function buildCustomCommand(leaf: CustomCommand, path: readonly string[], help: HelpOptions): Command {
  const command = createCommand(path, help, { examples: leaf.examples, sections: leaf.sections ?? [] }).description(
    describeCommand(leaf.summary, leaf.description),
  );
  const args = leaf.args ?? [];
  for (const arg of args) command.argument(syntaxOf(arg), arg.description);
  command.usage(usageWith(args));
  for (const flag of customFlags(leaf)) command.addOption(createOption(flag));
  addSharedOptions(command, leaf.prints === true, leaf.without);
  return command;
}

export const customFlags = ({ flags = [], watchable }: CustomCommand): readonly CommandFlag[] =>
  watchable ? [...flags, ...watchFlags] : flags;

export function createOption({ flags, description, repeat, key }: CommandFlag): Option {
  const option = new Option(flags, description);
  if (key !== undefined) option.attributeName = () => key;
  return repeat ? repeatable(option) : option;
}

/** Makes an option collect the values of each time that it is given. */
export const repeatable = (option: Option): Option =>
  option.argParser((value, before: string[] | undefined) => [...(before ?? []), value]);

export const describeCommand = (summary: string, description?: string): string =>
  [`${summary}.`, description].filter(Boolean).join("\n\n");

type ArgumentSyntax = Pick<CommandArgument, "name" | "optional" | "many">;

/** Returns `<name>`, `[name]` or `<name...>`. */
export function syntaxOf({ name, optional, many }: ArgumentSyntax): string {
  const shown = `${name}${many ? "..." : ""}`;
  return optional ? `[${shown}]` : `<${shown}>`;
}

export const usageWith = (args: readonly ArgumentSyntax[]): string => [...args.map(syntaxOf), "[options]"].join(" ");
