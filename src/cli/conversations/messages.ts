import { conversations } from "../../contract/conversations.ts";
import type { Caller } from "../../contract/operation.ts";
import { UsageError } from "../failure.ts";
import { createOutput } from "../output.ts";
import { type Page, walk } from "../paging.ts";
import type { Context } from "../tree.ts";
import { extentIn, integer, withCaller } from "./line.ts";
import { messageForm } from "./message-form.ts";

/** What makes a row of a message. */
export const messageColumns = ["id", "date", "author.name", "message"];

/** `wcs conversations messages` */
export async function messages(context: Context): Promise<void> {
  const { globals, terminal, args, flags } = context;
  const id = integer(args.id, "<id>");
  const extent = extentIn(context);
  const middle = flags.around === undefined ? undefined : integer(flags.around, "--around");
  const { cursor } = flags as { cursor?: string };
  if (middle !== undefined && (extent.all || cursor !== undefined))
    throw new UsageError(`--around and ${extent.all ? "--all" : "--cursor"} exclude each other`);
  const form = async () => messageForm({ paged: !extent.all });
  const view = { op: conversations.messages, columns: messageColumns, form, items: "messages" };
  const output = createOutput(view, globals, terminal);
  await withCaller(context, (caller) =>
    output.list(
      middle === undefined
        ? walk(caller, conversations.messages, { id, cursor }, extent)
        : around(caller, { id, starter_message_id: middle, limit: extent.limit }),
    ),
  );
}

/** One page: the next would go on in one direction only. */
async function* around(
  caller: Caller,
  input: { id: number; starter_message_id: number; limit: number | undefined },
): AsyncGenerator<Page> {
  const response = await caller.call(conversations.messages, input);
  yield { items: response.data, more: false, response };
}
