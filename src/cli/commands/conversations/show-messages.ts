import { conversations } from "../../../contract/conversations.ts";
import type { Caller } from "../../../contract/operation.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { parseInteger } from "../../kit/parse-value.ts";
import { extentOf, walk } from "../../kit/walk-list.ts";
import { createOutput } from "../../output/create-output.ts";
import { conversationOf, withCaller } from "./conversation-arguments.ts";
import { messageForm } from "./render-message.ts";

export const messageColumns = ["id", "date", "author.name", "message"];

export async function showMessages(context: Context): Promise<void> {
  const { flags } = context;
  const idFor = conversationOf(context);
  const { all, limit } = extentOf(context);
  const middle = flags.around === undefined ? undefined : parseInteger(flags.around, "--around");
  const { cursor } = flags as { cursor?: string };
  if (middle !== undefined && (flags.all || cursor !== undefined))
    throw new UsageError(`--around and ${flags.all ? "--all" : "--cursor"} cannot be used together`);
  const extent = { all: all && middle === undefined, limit };
  const renderer = async () => messageForm({ paged: !extent.all });
  const view = { op: conversations.messages, columns: messageColumns, renderer, items: "messages" };
  const output = createOutput(view, context);
  await withCaller(context, async (caller) => {
    const id = await idFor(caller);
    return output.list(
      middle === undefined
        ? walk(caller, conversations.messages, { id, cursor }, extent)
        : around(caller, { id, starter_message_id: middle, limit: extent.limit }),
    );
  });
}

/** Yields a single page, because a cursor could continue in one direction only. */
async function* around(caller: Caller, input: { id: number; starter_message_id: number; limit: number | undefined }) {
  const response = await caller.call(conversations.messages, input);
  yield { items: response.data, more: false, response };
}
