import type { Field } from "../../contract/field-spec.ts";
import type { UsageError } from "../errors/cli-errors.ts";
import { readNewPassword } from "../session/read-password.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { parseValue } from "./parse-value.ts";

/** Prompts for the value of a field until `check` accepts it. `check` returns the issue with a value. */
export async function askFor(
  field: Field,
  check: (value: unknown) => string | undefined,
  terminal: Terminal,
): Promise<unknown> {
  const ask = await terminal.ask();
  const question = field.description ?? field.name;
  if (field.values) return ask.choice(question, field.values, field.explanations);
  if (field.kind === "boolean") return ask.confirm(`${question}?`);
  const { items } = field;
  const read = (text: string) =>
    items ? text.split(",").map((part) => parseValue(items, part.trim(), "It")) : parseValue(field, text.trim(), "It");
  const answer = await ask.text(`${question}:`, (text) => {
    if (text.trim() === "") return "Enter a value";
    try {
      const wrong = check(read(text));
      return wrong === undefined ? true : `It ${wrong}`;
    } catch (error) {
      return (error as UsageError).message;
    }
  });
  return read(answer);
}

/** Prompts for a secret without showing it. A new password is asked for twice. */
export async function askForSecret(field: Field, terminal: Terminal): Promise<string> {
  const ask = await terminal.ask();
  const question = field.description ?? field.name;
  return field.newPassword ? readNewPassword(terminal, question) : ask.secret(`${question}:`);
}
