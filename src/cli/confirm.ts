import type { Caller } from "../contract/operation.ts";
import { Interrupted, UsageError } from "./failure.ts";
import type { Input } from "./input.ts";
import { at } from "./paging.ts";
import type { Context, OperationLeaf } from "./tree.ts";

/** Asks before something is destroyed; where nobody can be asked, --yes has to say it. */
export async function confirm(leaf: OperationLeaf, input: Input, caller: Caller, context: Context): Promise<void> {
  const { confirm } = leaf;
  if (!confirm) return;
  await agree(context, async () => {
    const about = confirm.about ? await caller.call(confirm.about, { id: input.id }) : {};
    return fill(confirm.ask, { ...input, ...(about as Input) });
  });
}

/** Goes on when the user agrees to what `question` asks, or did so by --yes; otherwise nothing may be changed. */
export async function agree({ terminal, flags }: Context, question: () => Promise<string>): Promise<void> {
  if (flags.yes || flags.dryRun) return;
  if (!terminal.interactive) {
    throw new UsageError("this cannot be taken back, and there is no terminal to ask on", {
      hint: "add --yes to do it",
    });
  }
  if (await (await terminal.ask()).confirm(terminal.plain(await question()))) return;
  terminal.note("Nothing was changed.");
  throw new Interrupted();
}

/** Puts fields in place of their names in braces. */
export function fill(template: string, input: Input): string {
  return template.replace(/\{([\w.]+)\}/g, (_, path: string) => [at(input, path)].flat().join(", "));
}
