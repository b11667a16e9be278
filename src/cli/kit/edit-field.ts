import type { Caller } from "../../contract/operation.ts";
import { Interrupted, UsageError } from "../errors/cli-errors.ts";
import type { Context, OperationCommand } from "./command-spec.ts";
import { kebab } from "./field-flags.ts";
import type { Input } from "./read-input.ts";

/**
 * Calls `use` with the input, after the user has edited the command's text field where that applies. Keeps the text in
 * a file when `use` fails.
 */
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
  const there = from === undefined ? {} : ((await caller.call(from, { id: input.id })) as Input);
  const before = String(input[field] ?? there[field] ?? "");
  const draft = await terminal.edit(before, file);
  if (draft.text === "" || draft.text === before.trimEnd()) {
    await draft.discard();
    // Other fields may still have to be changed.
    if (from !== undefined && Object.keys(input).length > 1) return use(input);
    terminal.note("The text is empty or unchanged. Nothing was changed.");
    throw new Interrupted();
  }
  try {
    await use({ ...input, [field]: draft.text });
    await draft.discard();
  } catch (error) {
    terminal.complain(`Your text was kept in ${terminal.sanitizeLine(draft.path)}\n`);
    throw error;
  }
}
