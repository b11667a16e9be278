import { checkbox, confirm, input, password, search, select } from "@inquirer/prompts";
import { Interrupted } from "../errors/cli-errors.ts";

export interface Choice<T> {
  readonly name: string;
  readonly value: T;
}

/** Prompts. They use stderr, so that stdout has data only. */
export interface Ask {
  text(question: string, check?: (answer: string) => true | string, defaultAnswer?: string): Promise<string>;
  /** Offers the values; `explanations` are shown beside them. */
  choice(question: string, values: readonly string[], explanations?: Readonly<Record<string, string>>): Promise<string>;
  pick<T>(question: string, choices: readonly Choice<T>[]): Promise<T>;
  several<T>(question: string, choices: readonly Choice<T>[]): Promise<T[]>;
  /** Offers the choices that `find` returns for what was typed so far. */
  search<T>(question: string, find: (text: string) => Promise<readonly Choice<T>[]>): Promise<T>;
  secret(question: string): Promise<string>;
  confirm(question: string): Promise<boolean>;
}

interface Streams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

export function createAsk(streams: Streams): Ask {
  const ask = <T>(prompt: (context: Streams & { signal: AbortSignal }) => Promise<T>) => answered(prompt, streams);
  return {
    text: (message, validate, defaultAnswer) =>
      ask((context) =>
        input({ message, ...(validate && { validate }), ...(defaultAnswer && { default: defaultAnswer }) }, context),
      ),
    choice: (message, values, explanations = {}) => {
      const name = (value: string) =>
        [value, explanations[value] && `(${explanations[value]})`].filter(Boolean).join(" ");
      const choices = values.map((value) => ({ value, name: name(value) }));
      return ask((context) => select({ message, choices }, context));
    },
    pick: (message, choices) => ask((context) => select({ message, choices }, context)),
    several: (message, choices) => ask((context) => checkbox({ message, choices }, context)),
    search: (message, find) => ask((context) => search({ message, source: (text = "") => find(text.trim()) }, context)),
    secret: (message) => ask((context) => password({ message, mask: false }, context)),
    confirm: (message) => ask((context) => confirm({ message, default: false }, context)),
  };
}

/** Asks until there is an answer: again after Ctrl-Z and fg, when readline has paused and the question is no longer shown. */
async function answered<T>(
  prompt: (context: Streams & { signal: AbortSignal }) => Promise<T>,
  streams: Streams,
): Promise<T> {
  const continued = new AbortController();
  const restart = () => continued.abort();
  process.once("SIGCONT", restart);
  try {
    return await prompt({ ...streams, signal: continued.signal });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error.name === "ExitPromptError") throw new Interrupted();
    if (error.name !== "AbortPromptError") throw error;
  } finally {
    process.removeListener("SIGCONT", restart);
  }
  return answered(prompt, streams);
}
