import type { Caller } from "../contract/operation.ts";
import { Interrupted, UsageError } from "./failure.ts";
import type { Input } from "./input.ts";
import { at } from "./paging.ts";
import type { Context, OperationLeaf } from "./tree.ts";

/** Asks before something is destroyed; where nobody can be asked, --yes has to say it. */
export async function confirm(
  leaf: Pick<OperationLeaf, "confirm">,
  input: Input,
  caller: Caller,
  context: Context,
): Promise<void> {
  const { terminal, flags } = context;
  if (!leaf.confirm || flags.yes || flags.dryRun) return;
  if (!terminal.interactive) {
    throw new UsageError("this cannot be taken back, and there is no terminal to ask on", {
      hint: "add --yes to do it",
    });
  }
  const about = leaf.confirm.about ? await caller.call(leaf.confirm.about, { id: input.id }) : {};
  const question = fill(leaf.confirm.ask, { ...input, ...(about as Input) });
  if (await (await terminal.ask()).confirm(terminal.plain(question))) return;
  terminal.note("Nothing was changed.");
  throw new Interrupted();
}

/** Puts fields in place of their names in braces. */
export function fill(template: string, input: Input): string {
  return template.replace(/\{([\w.]+)\}/g, (_, path: string) => [at(input, path)].flat().join(", "));
}
