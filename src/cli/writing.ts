import type { Caller } from "../contract/operation.ts";
import { Interrupted, UsageError } from "./failure.ts";
import type { Input } from "./input.ts";
import { kebab } from "./options.ts";
import type { Context, OperationLeaf } from "./tree.ts";

/**
 * Hands the input over, with the text that the user writes in an editor where the command has one. What was written there
 * and could not be used is kept.
 */
export async function withWritten(
  { written }: OperationLeaf,
  input: Input,
  caller: Caller,
  { terminal, flags }: Context,
  use: (input: Input) => Promise<void>,
): Promise<void> {
  if (written === undefined) return use(input);
  const { field, file, from, optional } = written;
  const isMissing = !optional && from === undefined && input[field] === undefined && flags.data === undefined;
  if (!flags.edit && !(isMissing && terminal.interactive)) return use(input);
  if (!terminal.interactive) {
    throw new UsageError("--edit needs a terminal", {
      hint: `give the text as --${kebab(field)} @file, or - for stdin`,
    });
  }
  const there = from === undefined ? {} : ((await caller.call(from, { id: input.id })) as Input);
  const before = String(input[field] ?? there[field] ?? "");
  const draft = await terminal.edit(before, file);
  if (draft.text === "" || draft.text === before.trimEnd()) {
    await draft.discard();
    // What else the line says is meant, too.
    if (from !== undefined && Object.keys(input).length > 1) return use(input);
    terminal.note("Nothing was written, so nothing was changed.");
    throw new Interrupted();
  }
  try {
    await use({ ...input, [field]: draft.text });
    await draft.discard();
  } catch (error) {
    terminal.complain(`What you wrote is in ${terminal.plain(draft.path)}\n`);
    throw error;
  }
}
