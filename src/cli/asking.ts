import type { Field } from "../contract/shape.ts";
import { UsageError } from "./failure.ts";
import { sentenceCase } from "./options.ts";
import { readScalar } from "./scalars.ts";
import type { Terminal } from "./terminal.ts";

/** Asks for the value of a field, until it is one that the field can take. `check` says what is wrong with a value. */
export async function askFor(
  field: Field,
  check: (value: unknown) => string | undefined,
  terminal: Terminal,
): Promise<unknown> {
  const ask = await terminal.ask();
  const question = field.description && field.description.length < 40 ? field.description : sentenceCase(field.name);
  if (field.values) return ask.choice(question, field.values);
  if (field.kind === "boolean") return ask.confirm(`${question}?`);
  const read = (text: string) =>
    field.items
      ? text.split(",").map((part) => readScalar(field.items!, part.trim(), "It"))
      : readScalar(field, text.trim(), "It");
  const answer = await ask.text(`${question}:`, (text) => {
    if (text.trim() === "") return "A value is needed";
    try {
      const wrong = check(read(text));
      return wrong === undefined ? true : `It ${wrong}`;
    } catch (error) {
      return (error as UsageError).message;
    }
  });
  return read(answer);
}

/** Asks for a secret without showing it; a new password twice. */
export async function askForSecret(field: Pick<Field, "name">, terminal: Terminal): Promise<string> {
  const ask = await terminal.ask();
  const question = sentenceCase(field.name);
  const secret = await ask.secret(`${question}:`);
  if (field.name === "password" && (await ask.secret(`${question} again:`)) !== secret) {
    throw new UsageError("the two passwords are not the same");
  }
  return secret;
}
