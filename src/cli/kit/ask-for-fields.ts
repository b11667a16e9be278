import type { Field } from "../../contract/field-spec.ts";
import type { UsageError } from "../errors/cli-errors.ts";
import { readNewPassword } from "../session/read-password.ts";
import type { Ask } from "../terminal/prompts.ts";
import { holdsFiles, kebab, listedKindOf, namedKindOf, takesDepartment } from "./field-flags.ts";
import { chooseNamed } from "./find-by-name.ts";
import { chooseDepartment } from "./find-parts.ts";
import { chooseListed } from "./list-choices.ts";
import { parseList, parseValue } from "./parse-value.ts";
import { type InputSpec, readFiles } from "./read-input.ts";
import type { OperationInput } from "./read-line.ts";
import { flagWords } from "./shown-line.ts";

export async function askForFields(missing: readonly Field[], operation: OperationInput): Promise<void> {
  const { spec, input, asked } = operation;
  for (const field of missing) {
    input[field.name] = await prompt(field, operation);
    const isArgument = spec.args.some((arg) => arg.field === field.name);
    if (!holdsFiles(field)) asked.push(...wordsFor(field, input[field.name], isArgument));
  }
}

async function prompt(field: Field, operation: OperationInput): Promise<unknown> {
  const { spec, sources, context, connect, asked } = operation;
  const { terminal } = context;
  const listed = listedKindOf(field);
  if (listed !== undefined) return chooseListed(listed, { caller: await connect(), terminal });
  if (takesDepartment(field)) return chooseDepartment(operation, { caller: await connect(), terminal });
  const named = namedKindOf(field);
  if (named !== undefined) return chooseNamed(named, field, { caller: await connect(), terminal });
  const question = field.description ?? field.name;
  if (field.newPassword) return readNewPassword(terminal, question);
  const ask = await terminal.ask();
  if (field.secret) return ask.secret(`${question}:`);
  if (field.values) return ask.choice(question, field.values, field.explanations);
  if (field.kind === "boolean") return ask.confirm(`${question}?`);
  if (holdsFiles(field)) {
    const path = await ask.text("File:");
    asked.push("--file", path);
    return readFiles([path], "It", sources);
  }
  return askForText(question, field, spec, ask);
}

/** Prompts for a value until it is valid. */
async function askForText(question: string, field: Field, spec: InputSpec, ask: Ask): Promise<unknown> {
  const read = (text: string) =>
    field.kind === "array" ? parseList(field, text, "It") : parseValue(field, text.trim(), "It");
  const answer = await ask.text(`${question}:`, (text) => {
    if (text.trim() === "") return "Enter a value";
    try {
      const issue = spec.check(field.name, read(text));
      return issue === undefined || `It ${issue}`;
    } catch (error) {
      return (error as UsageError).message;
    }
  });
  return read(answer);
}

function wordsFor(field: Field, value: unknown, isArgument: boolean): string[] {
  const name = kebab(field.name);
  if (field.secret) return [`--${name}-stdin`];
  if (typeof value === "boolean") return [value ? `--${name}` : `--no-${name}`];
  const text = Array.isArray(value) ? value.join(",") : String(value);
  return isArgument ? [text] : flagWords(`--${name}`, text);
}
