import type { Field } from "../../contract/field-spec.ts";
import type { Caller } from "../../contract/operation.ts";
import type { Sources } from "../file-io/value-sources.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { holdsFiles, kebab, listedKindOf, namedKindOf, takesDepartment } from "./field-flags.ts";
import { type Input, type InputSpec, readFiles } from "./read-input.ts";
import { flagWords } from "./shown-line.ts";

/** Where the values that are not on the line come from. */
interface ReadOptions {
  readonly sources: Sources;
  readonly terminal: Terminal;
  readonly connect: () => Promise<Caller>;
  /** Gets the words of the command line that stand for the answers to prompts. */
  readonly asked: string[];
}

/** Asks for missing fields. */
export async function askForFields(
  spec: InputSpec,
  missing: readonly Field[],
  input: Input,
  options: ReadOptions,
): Promise<void> {
  for (const field of missing) {
    input[field.name] = await prompt(spec, field, input, options);
    const isArgument = spec.args.some((arg) => arg.field === field.name);
    if (!holdsFiles(field)) options.asked.push(...wordsFor(field, input[field.name], isArgument));
  }
}

async function prompt(spec: InputSpec, field: Field, input: Input, { sources, terminal, connect, asked }: ReadOptions) {
  const listed = listedKindOf(field);
  if (listed !== undefined) return (await import("./list-choices.ts")).chooseListed(listed, await connect(), terminal);
  if (takesDepartment(field))
    return (await import("./find-department.ts")).chooseDepartment(spec.fields, input, await connect(), terminal);
  if (namedKindOf(field) !== undefined)
    return (await import("./find-by-name.ts")).chooseNamed(field, await connect(), terminal);
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
