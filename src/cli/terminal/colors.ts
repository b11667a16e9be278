import { Chalk } from "chalk";

/** Text styles. `key` and `value` are those of data, as in JSON. */
export type Paint = Readonly<
  Record<"error" | "success" | "strong" | "emphasis" | "dim" | "key" | "value", (text: string) => string>
>;

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
