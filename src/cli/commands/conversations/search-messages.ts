import { conversations } from "../../../contract/conversations.ts";
import type { Caller } from "../../../contract/operation.ts";
import { users } from "../../../contract/users.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import { unlessRefused } from "../../errors/unless-refused.ts";
import type { Context } from "../../kit/command-spec.ts";
import { findOneByName } from "../../kit/find-by-name.ts";
import { type Extent, extentOf, walk, walkItems } from "../../kit/walk-list.ts";
import { createOutput } from "../../output/create-output.ts";
import { withCaller, wordsIn } from "./conversation-arguments.ts";
import { type ShownConversation, titleOf } from "./render-conversation.ts";
import { messageForm } from "./render-message.ts";
import { messageColumns } from "./show-messages.ts";

const defaultLimit = 25;
const atOnce = 4;

export async function searchMessages(context: Context): Promise<void> {
  const { args, flags } = context;
  const query = wordsIn(args.words).join(" ");
  const extent = extentOf(context);
  const view = { op: conversations.messages, items: "messages" };
  if (flags.conversation !== undefined) {
    const renderer = async () => messageForm();
    const output = createOutput({ ...view, columns: messageColumns, renderer }, context);
    return withCaller(context, async (caller) => {
      const id = await findOneByName("conversations", "--conversation", flags.conversation, {
        caller,
        terminal: context.terminal,
      });
      await output.list(walk(caller, conversations.messages, { id, query }, extent));
    });
  }
  const titles = new Map<number, string>();
  const renderer = async () => messageForm({ heading: ({ conversationId: id }) => `${titles.get(id)} (${id})` });
  const columns = ["conversationId", ...messageColumns];
  const output = createOutput({ ...view, columns, renderer }, context);
  await withCaller(context, (caller) => output.list(everywhere(caller, query, extent, titles)));
}

/** Yields matches in all conversations; `titles` receives the titles of the conversations that have matches. */
async function* everywhere(caller: Caller, query: string, { all, limit }: Extent, titles: Map<number, string>) {
  let left = limit ?? (all ? Number.POSITIVE_INFINITY : defaultLimit);
  if (left < 1) throw new UsageError("--limit must be at least 1");
  const { id: me } = await caller.call(users.current, {});
  let isFound = false;
  const searchIn = async (conversation: ShownConversation) => {
    const pages = walk(caller, conversations.messages, { id: conversation.id, query });
    // The user may be removed from the conversation after it is listed.
    const first = await unlessRefused("not_found", pages.next());
    return { conversation, pages, first: first?.done ? undefined : first?.value };
  };
  for await (const { conversation, pages, first } of ahead(everyConversation(caller), searchIn)) {
    if (!first?.items.length) continue;
    isFound = true;
    titles.set(conversation.id, titleOf(conversation, me));
    for await (const { items, response } of startingWith(first, pages)) {
      yield { items: items.slice(0, left), more: items.length >= left, response };
      left -= items.length;
      if (left <= 0) return;
    }
    titles.delete(conversation.id);
  }
  if (!isFound) yield { items: [], more: false, response: { data: [] } };
}

async function* startingWith<T>(first: T, others: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* others;
}

/** Yields each conversation once, archived ones last, even if some move up in the list meanwhile. */
async function* everyConversation(caller: Caller): AsyncGenerator<ShownConversation> {
  const seen = new Set<number>();
  for (const status of ["normal", "archived"] as const) {
    for await (const conversation of walkItems(caller, conversations.list, { status })) {
      if (!seen.has(conversation.id)) yield conversation;
      seen.add(conversation.id);
    }
  }
}

/** Runs `work` on up to `atOnce` items at the same time and yields the results in the order of the items. */
async function* ahead<T, R>(items: AsyncIterable<T>, work: (item: T) => Promise<R>): AsyncGenerator<R> {
  const running: Promise<R>[] = [];
  for await (const item of items) {
    const begun = work(item);
    // A failure is thrown where the result is awaited; without this, an unused result would be an unhandled rejection.
    begun.catch(() => {});
    running.push(begun);
    const oldest = running.length >= atOnce ? running.shift() : undefined;
    if (oldest) yield await oldest;
  }
  for (const begun of running) yield await begun;
}
