import { Interrupted, UsageError } from "../failure.ts";
import { createSources } from "../sources.ts";
import type { Context } from "../tree.ts";

interface Composing<T> {
  /** What an editor begins with; asked for before it opens, so that what cannot be written to is known by then. */
  begin(): Promise<string>;
  use(text: string): Promise<T>;
}

/**
 * Hands the text of a message over: the words on the line; stdin, for `-` or when it is no terminal; else what the user
 * writes in an editor. What was written there and could not be used is kept.
 */
export async function compose<T>(
  { terminal }: Context,
  words: readonly string[],
  { begin, use }: Composing<T>,
): Promise<T> {
  const fromStdin = words.length === 0 ? !terminal.stdinIsTerminal : words.length === 1 && words[0] === "-";
  if (fromStdin) return use(await createSources(terminal).stdin("<text>"));
  if (words.length > 0) return use(words.join(" "));
  if (!terminal.interactive)
    throw new UsageError("missing <text>", { hint: "give it on the line, or - to read it from stdin" });
  const before = await begin();
  const draft = await terminal.edit(before, "message.txt");
  if (draft.text === "" || draft.text === before.trimEnd()) {
    await draft.discard();
    terminal.note(before === "" ? "Nothing was sent." : "Nothing was changed.");
    throw new Interrupted();
  }
  try {
    const result = await use(draft.text);
    await draft.discard();
    return result;
  } catch (error) {
    terminal.complain(`What you wrote is in ${terminal.plain(draft.path)}\n`);
    throw error;
  }
}
