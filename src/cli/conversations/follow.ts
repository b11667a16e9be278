import { conversations } from "../../contract/conversations.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Caller } from "../../contract/operation.ts";
import { UsageError } from "../failure.ts";
import { answersOf, patienceOf } from "../following.ts";
import { createOutput } from "../output.ts";
import type { Page } from "../paging.ts";
import type { Context } from "../tree.ts";
import { integer, withCaller } from "./line.ts";
import { messageForm } from "./message-form.ts";
import { messageColumns } from "./messages.ts";

const standardLast = 10;
const mostLast = 100;

/** `wcs conversations follow`: the last messages, and then those that come. */
export async function follow(context: Context): Promise<void> {
  const { globals, terminal, args, flags } = context;
  const id = integer(args.id, "<id>");
  const last = flags.last === undefined ? standardLast : integer(flags.last, "--last");
  if (last < 0 || last > mostLast) throw new UsageError(`--last must be from 0 to ${mostLast}, not ${last}`);
  const form = async () => messageForm({ lasting: true });
  const output = createOutput(
    { op: conversations.follow, columns: messageColumns, form, endless: true },
    globals,
    terminal,
  );
  const wait = patienceOf(globals);
  await withCaller(context, (caller) => output.list(messagesFrom(caller, { id, last, wait }, context)));
}

interface Following {
  readonly id: number;
  /** How many of the messages that are there already. */
  readonly last: number;
  /** Seconds. */
  readonly wait: number;
}

/** Messages in the order in which they come, without an end. */
async function* messagesFrom(
  caller: Caller,
  { id, last, wait }: Following,
  { terminal }: Context,
): AsyncGenerator<Page> {
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
      // The user has deleted the conversation up to now: what is left of it begins after that.
      return caller.call(conversations.follow, { id, after: 0, wait });
    }
  };
  for await (const response of answersOf(ask, terminal)) {
    after = response.meta.last_id;
    if (response.data.length > 0) yield { items: response.data, more: false, response };
  }
}
