import { conversations } from "../../../contract/conversations.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Caller } from "../../../contract/operation.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { parseInteger } from "../../kit/parse-value.ts";
import { createOutput } from "../../output/create-output.ts";
import type { Page } from "../../output/item.ts";
import { longPollSeconds, pollAnswers } from "../../session/poll.ts";
import { withCaller } from "./command-line.ts";
import { conversationOf } from "./conversation-argument.ts";
import type { ShownMessage } from "./message-lines.ts";
import { messageForm } from "./render-message.ts";
import { messageColumns } from "./show-messages.ts";

const standardLast = 10;
const mostLast = 100;

/** `wcs conversations follow`: shows the last messages, then new ones as they arrive. */
export async function follow(context: Context): Promise<void> {
  const { globals, flags } = context;
  const idFor = conversationOf(context);
  const last = flags.last === undefined ? standardLast : parseInteger(flags.last, "--last");
  if (last < 0 || last > mostLast) throw new UsageError(`--last must be from 0 to ${mostLast}, not ${last}`);
  const renderer = async () => messageForm({ lasting: true });
  const output = createOutput({ op: conversations.follow, columns: messageColumns, renderer, endless: true }, context);
  const wait = longPollSeconds(globals);
  await withCaller(context, async (caller) => {
    const id = await idFor(caller);
    return output.list(messagesFrom(caller, { id, last, wait }, context));
  });
}

interface Following {
  readonly id: number;
  readonly last: number;
  /** Seconds that one request waits for new messages. */
  readonly wait: number;
}

/** Yields messages in the order in which they arrive, without end. */
async function* messagesFrom(
  caller: Caller,
  { id, last, wait }: Following,
  { terminal }: Context,
): AsyncGenerator<Page<ShownMessage>> {
  let after = 0;
  if (last === 0) after = (await caller.call(conversations.follow, { id })).meta.last_id;
  else {
    const response = await caller.call(conversations.messages, { id, limit: last });
    after = response.data[0]?.id ?? 0;
    yield { items: response.data.toReversed(), more: false, response };
  }
  const ask = async () => {
    try {
      return await caller.call(conversations.follow, { id, after, wait });
    } catch (error) {
      if (!(error instanceof ServiceError) || !error.fields?.after) throw error;
      // The user deleted the conversation, so `after` no longer exists; starts again from the remaining messages.
      return caller.call(conversations.follow, { id, after: 0, wait });
    }
  };
  for await (const response of pollAnswers(ask, terminal)) {
    after = response.meta.last_id;
    if (response.data.length > 0) yield { items: response.data, more: false, response };
  }
}
