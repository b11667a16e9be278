import type { Caller } from "../../../contract/operation.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { parseInteger } from "../../kit/parse-value.ts";

/** Returns a function that returns the ID of the conversation in the argument, or asks for one on a terminal. */
export function conversationOf({ args, terminal }: Context): (caller: Caller) => Promise<number> {
  if (args.id !== undefined) {
    const id = parseInteger(args.id, "<id>");
    return async () => id;
  }
  if (!terminal.interactive) throw new UsageError("missing <id>");
  return async (caller) => (await import("../../kit/list-choices.ts")).chooseListed("conversations", caller, terminal);
}
