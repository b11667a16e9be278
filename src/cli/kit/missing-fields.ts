import type { Field } from "../../contract/field-spec.ts";
import { UsageError } from "../errors/cli-errors.ts";
import type { Sources } from "../file-io/value-sources.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { holdsFiles, kebab, listedKindOf, namedKindOf } from "./field-flags.ts";
import type { LineIssues } from "./line-issues.ts";
import { type Input, type InputSpec, labelOf, readFiles } from "./read-input.ts";
import { flagWords } from "./shown-line.ts";

/** Asks for the things that a field takes, by name or from a list. */
export type ChooseThings = (field: Field) => Promise<unknown>;

/** Where the values that are not on the line come from. */
interface ReadOptions {
  readonly sources: Sources;
  readonly terminal: Terminal;
  readonly choose: ChooseThings;
  /** Gets the words of the command line that stand for the answers to prompts. */
  readonly asked: string[];
}

/** Returns the required fields that an input lacks. A new password comes from the environment when it is there. */
export function missingFields({ fields, needed }: InputSpec, input: Input, env: Terminal["env"]): Field[] {
  const also = needed && input[needed.unless] === undefined ? needed.field : undefined;
  const missing = fields.filter(({ name, required }) => (required || name === also) && input[name] === undefined);
  const { WCS_PASSWORD: password, WCS_USERNAME: username } = env;
  return missing.filter((field) => {
    // With a user name, it is the password to sign in with.
    if (!field.newPassword || !password || username) return true;
    input[field.name] = password;
    return false;
  });
}

/** Adds an issue about missing fields that no other issue is about. */
export function noteMissing(spec: InputSpec, missing: readonly Field[], issues: LineIssues): void {
  const words = missing.map((field) => wordFor(spec, field)).filter((word) => !issues.concerns(word));
  if (words.length > 0) issues.add(new UsageError(`missing ${words.join(", ")}`), words);
}

/** Returns the argument or flag that gives a field its value. */
function wordFor(spec: InputSpec, field: Field): string {
  const arg = spec.args.find((candidate) => candidate.field === field.name);
  if (arg) return `<${labelOf(arg)}>`;
  if (holdsFiles(field)) return "--file";
  return field.secret ? `--${kebab(field.name)}-stdin` : `--${kebab(field.name)}`;
}

/** Asks for missing fields. */
export async function askForFields(
  spec: InputSpec,
  missing: readonly Field[],
  input: Input,
  options: ReadOptions,
): Promise<void> {
  for (const field of missing) {
    input[field.name] = await prompt(spec, field, options);
    const isArgument = spec.args.some((arg) => arg.field === field.name);
    if (!holdsFiles(field)) options.asked.push(...wordsFor(field, input[field.name], isArgument));
  }
}

async function prompt(spec: InputSpec, field: Field, { sources, terminal, choose, asked }: ReadOptions) {
  if (namedKindOf(field) !== undefined || listedKindOf(field) !== undefined) return choose(field);
  const { askFor, askForSecret } = await import("./prompt-for-field.ts");
  if (field.secret) return askForSecret(field, terminal);
  if (!holdsFiles(field)) return askFor(field, (value) => spec.check(field.name, value), terminal);
  const path = await (await terminal.ask()).text("File:");
  asked.push("--file", path);
  return readFiles([path], "It", sources);
}

/** Returns the words of the command line that give a field its value. */
function wordsFor(field: Field, value: unknown, isArgument: boolean): string[] {
  const name = kebab(field.name);
  if (field.secret) return [`--${name}-stdin`];
  if (typeof value === "boolean") return [value ? `--${name}` : `--no-${name}`];
  const text = Array.isArray(value) ? value.join(",") : String(value);
  return isArgument ? [text] : flagWords(`--${name}`, text);
}
