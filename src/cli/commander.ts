import { Command, CommanderError, Option } from "commander";
import { UsageError } from "./failure.ts";
import { globalOptions, outputOptions } from "./globals.ts";
import type { Terminal } from "./terminal.ts";

/** Help was asked for and is ready to be shown. */
export class HelpShown extends Error {
  readonly text: string;
  constructor(text: string) {
    super("help");
    this.text = text;
  }
}

/** A commander command that throws what is wrong and prints nothing itself. */
export function createCommand(path: readonly string[], terminal: Terminal): Command {
  return new Command(["wcs", ...path].join(" "))
    .exitOverride()
    .helpOption(false)
    .helpCommand(false)
    .configureOutput({ writeErr: () => {}, getOutHelpWidth: () => Math.min(terminal.width, 100), getOutHasColors: () => true })
    .configureHelp({
      styleTitle: (text) => terminal.dye.strong(text),
      optionTerm: ({ short, flags }) => (short ? flags : `    ${flags}`),
    });
}

/** Adds the options that every command takes; those on output are shown where there is some. */
export function addSharedOptions(command: Command, prints: boolean): Command {
  for (const { flags, description, choices } of outputOptions) {
    const option = new Option(flags, description).helpGroup("Output options:").hideHelp(!prints);
    command.addOption(choices ? option.choices(choices) : option);
  }
  for (const { flags, description } of globalOptions) {
    command.addOption(new Option(flags, description).helpGroup("Global options:"));
  }
  return command;
}

export function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

/** Parses the rest of the line: positionals and options by attribute name. */
export function parseLine(command: Command, rest: readonly string[]) {
  if (asksForHelp(rest)) throw new HelpShown(helpOf(command));
  command.action(() => {});
  try {
    command.parse(rest, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const [message = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
    const meant = /Did you mean (.+)\?/.exec(suggestion ?? "")?.[1];
    throw new UsageError(message, meant ? { hint: `did you mean ${meant}?` } : { usage: usageOf(command) });
  }
  return { args: command.processedArgs, options: command.opts() };
}

export const usageOf = (command: Command): string => `${command.name()} ${command.usage()}`.trim();

function asksForHelp(rest: readonly string[]): boolean {
  const end = rest.indexOf("--");
  return (end < 0 ? rest : rest.slice(0, end)).some((arg) => arg === "--help" || arg === "-h");
}
