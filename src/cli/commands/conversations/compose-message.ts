import { Interrupted, UsageError } from "../../errors/cli-errors.ts";
import type { Sources } from "../../file-io/value-sources.ts";
import type { Context } from "../../kit/command-spec.ts";
import { editText } from "../../kit/edit-field.ts";

/**
 * Passes the text of a message to `use`: the words on the command line; else stdin, for `-` or when stdin is not a
 * terminal; else text written in an editor. `begin` returns the text with which the editor opens; it runs before that, so that a
 * missing conversation fails early.
 */
export async function compose<T>(
  { terminal }: Context,
  words: readonly string[],
  sources: Sources,
  use: (text: string) => Promise<T>,
  begin = async () => "",
): Promise<T> {
  const fromStdin = words.length === 0 ? !terminal.stdinIsTerminal : words.length === 1 && words[0] === "-";
  if (fromStdin) return use(await sources.stdin("<text>"));
  if (words.length > 0) return use(words.join(" "));
  if (!terminal.interactive)
    throw new UsageError("missing <text>", { hint: "pass the text as an argument, or - to read it from stdin" });
  const before = await begin();
  const edited = await editText(before, "message.txt", terminal, use);
  if (edited) return edited.result;
  terminal.note(before === "" ? "Nothing was sent." : "Nothing was changed.");
  throw new Interrupted();
}
