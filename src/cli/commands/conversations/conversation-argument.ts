import type { Caller } from "../../../contract/operation.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { isId } from "../../kit/parse-value.ts";

/** Returns a function that finds the conversation of the argument, or asks for one on a terminal, and returns its ID. */
export function conversationOf({ args, terminal }: Context): (caller: Caller) => Promise<number> {
  if (args.id !== undefined) {
    return async (caller) => {
      if (isId(String(args.id))) return Number(args.id);
      const { findOneByName } = await import("../../kit/find-by-name.ts");
      return findOneByName("conversations", "<id>", args.id, caller, terminal);
    };
  }
  if (!terminal.interactive) throw new UsageError("missing <id>");
  return async (caller) => (await import("../../kit/list-choices.ts")).chooseListed("conversations", caller, terminal);
}
