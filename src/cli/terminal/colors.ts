import { Chalk } from "chalk";

/** Text styles. Each returns the text unchanged when colour is off. */
export interface Paint {
  error(text: string): string;
  success(text: string): string;
  strong(text: string): string;
  emphasis(text: string): string;
  dim(text: string): string;
  /** Keys and strings of data, as in JSON. */
  key(text: string): string;
  value(text: string): string;
}

export function createPaint(): Paint {
  const chalk = new Chalk({ level: 1 });
  return {
    // Chalk joins all its arguments, and map() passes three.
    error: (text) => chalk.bold.red(text),
    success: (text) => chalk.green(text),
    strong: (text) => chalk.bold(text),
    emphasis: (text) => chalk.italic(text),
    dim: (text) => chalk.dim(text),
    key: (text) => chalk.cyan(text),
    value: (text) => chalk.green(text),
  };
}
