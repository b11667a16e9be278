import { confirm, input, password, select } from "@inquirer/prompts";
import { Interrupted } from "../errors/cli-errors.ts";

/** Prompts. They use stderr, so that stdout has data only. */
export interface Ask {
  text(question: string, check?: (answer: string) => true | string, standard?: string): Promise<string>;
  choice(question: string, values: readonly string[]): Promise<string>;
  secret(question: string): Promise<string>;
  confirm(question: string): Promise<boolean>;
}

export function createAsk(streams: { input: NodeJS.ReadStream; output: NodeJS.WriteStream }): Ask {
  return {
    text: (message, validate, standard) =>
      answered(input({ message, ...(validate && { validate }), ...(standard && { default: standard }) }, streams)),
    choice: (message, values) =>
      answered(select({ message, choices: values.map((value) => ({ value, name: value })) }, streams)),
    secret: (message) => answered(password({ message, mask: false }, streams)),
    confirm: (message) => answered(confirm({ message, default: false }, streams)),
  };
}

async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && error.name === "ExitPromptError") throw new Interrupted();
    throw error;
  }
}
