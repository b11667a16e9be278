import { Chalk } from "chalk";

/** The few ways in which text may stand out; each leaves it alone where there is no colour. */
export interface Paint {
  error(text: string): string;
  success(text: string): string;
  strong(text: string): string;
  emphasis(text: string): string;
  dim(text: string): string;
  /** Names and strings of data, as in JSON. */
  key(text: string): string;
  value(text: string): string;
}

/** Loaded only where there is colour. */
export function createPaint(): Paint {
  const chalk = new Chalk({ level: 1 });
  return {
    // One text each: chalk would join whatever else map() hands over.
    error: (text) => chalk.bold.red(text),
    success: (text) => chalk.green(text),
    strong: (text) => chalk.bold(text),
    emphasis: (text) => chalk.italic(text),
    dim: (text) => chalk.dim(text),
    key: (text) => chalk.cyan(text),
    value: (text) => chalk.green(text),
  };
}
