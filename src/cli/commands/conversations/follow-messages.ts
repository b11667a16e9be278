import { conversations } from "../../../contract/conversations.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Caller } from "../../../contract/operation.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { parseInteger } from "../../kit/parse-value.ts";
import { createOutput } from "../../output/create-output.ts";
import { longPollSeconds, pollAnswers } from "../../session/poll.ts";
import { conversationOf, withCaller } from "./conversation-arguments.ts";
import { messageForm } from "./render-message.ts";
import { messageColumns } from "./show-messages.ts";

const defaultLast = 10;
const maxLast = 100;

export async function follow(context: Context): Promise<void> {
  const { flags } = context;
  const idFor = conversationOf(context);
  const last = flags.last === undefined ? defaultLast : parseInteger(flags.last, "--last");
  if (last < 0 || last > maxLast) throw new UsageError(`--last must be from 0 to ${maxLast}, not ${last}`);
  const renderer = async () => messageForm({ lasting: true });
  const output = createOutput({ op: conversations.follow, columns: messageColumns, renderer, endless: true }, context);
  await withCaller(context, async (caller) => output.list(messagesFrom(caller, await idFor(caller), last, context)));
}

async function* messagesFrom(caller: Caller, id: number, last: number, { terminal, globals }: Context) {
  const wait = longPollSeconds(globals);
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
