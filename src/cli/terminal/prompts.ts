import { checkbox, confirm, input, password, search, select } from "@inquirer/prompts";
import { Interrupted } from "../errors/cli-errors.ts";

export interface Choice<T> {
  readonly name: string;
  readonly value: T;
}

/** Prompts. They use stderr, so that stdout has data only. */
export interface Ask {
  text(question: string, check?: (answer: string) => true | string, standard?: string): Promise<string>;
  /** Offers the values; `explanations` are shown beside them. */
  choice(question: string, values: readonly string[], explanations?: Readonly<Record<string, string>>): Promise<string>;
  pick<T>(question: string, choices: readonly Choice<T>[]): Promise<T>;
  several<T>(question: string, choices: readonly Choice<T>[]): Promise<T[]>;
  /** Offers the choices that `find` returns for what was typed so far. */
  search<T>(question: string, find: (text: string) => Promise<readonly Choice<T>[]>): Promise<T>;
  secret(question: string): Promise<string>;
  confirm(question: string): Promise<boolean>;
}

export function createAsk(streams: { input: NodeJS.ReadStream; output: NodeJS.WriteStream }): Ask {
  return {
    text: (message, validate, standard) =>
      answered(input({ message, ...(validate && { validate }), ...(standard && { default: standard }) }, streams)),
    choice: (message, values, explanations = {}) => {
      const name = (value: string) =>
        [value, explanations[value] && `(${explanations[value]})`].filter(Boolean).join(" ");
      return answered(select({ message, choices: values.map((value) => ({ value, name: name(value) })) }, streams));
    },
    pick: (message, choices) => answered(select({ message, choices }, streams)),
    several: (message, choices) => answered(checkbox({ message, choices }, streams)),
    search: (message, find) => answered(search({ message, source: (text = "") => find(text.trim()) }, streams)),
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
