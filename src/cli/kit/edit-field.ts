import type { Caller } from "../../contract/operation.ts";
import { Interrupted, UsageError } from "../errors/cli-errors.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { writeErrorLines } from "../terminal/write-error-lines.ts";
import type { Context, OperationCommand } from "./command-spec.ts";
import { kebab } from "./field-flags.ts";
import type { Input } from "./read-input.ts";

/** Passes the text that the user writes in an editor to `use`, unless it is empty or unchanged; then returns undefined. */
export async function editText<T>(
  before: string,
  file: string,
  terminal: Terminal,
  use: (text: string) => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  const { text, path, discard } = await terminal.edit(before, file);
  try {
    const edited = text === "" || text === before.trimEnd() ? undefined : { result: await use(text) };
    await discard();
    return edited;
  } catch (error) {
    writeErrorLines([`Your text was kept in ${path}`], terminal);
    throw error;
  }
}

/** Calls `use` with the input, after the user has edited the command's text field where that applies. */
export async function editField(
  { field, file, from, optional }: NonNullable<OperationCommand["written"]>,
  input: Input,
  caller: Caller,
  { terminal, flags }: Context,
  use: (input: Input) => Promise<void>,
): Promise<void> {
  const isMissing = !optional && from === undefined && input[field] === undefined && flags.data === undefined;
  if (!flags.edit && !(isMissing && terminal.interactive)) return use(input);
  if (!terminal.interactive) {
    throw new UsageError("--edit needs a terminal", {
      hint: `pass the text as --${kebab(field)} @file, or - for stdin`,
    });
  }
  const current = from === undefined ? {} : ((await caller.call(from, { id: input.id })) as Input);
  const before = String(input[field] ?? current[field] ?? "");
  if (await editText(before, file, terminal, (text) => use({ ...input, [field]: text }))) return;
  // Other fields may still have to be changed.
  if (from !== undefined && Object.keys(input).length > 1) return use(input);
  terminal.note("The text is empty or unchanged. Nothing was changed.");
  throw new Interrupted();
}
