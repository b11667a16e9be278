import { conversations } from "../../contract/conversations.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Caller } from "../../contract/operation.ts";
import { users } from "../../contract/users.ts";
import { UsageError } from "../failure.ts";
import { createOutput } from "../output.ts";
import { type Extent, type Page, walk } from "../paging.ts";
import type { Context } from "../tree.ts";
import { type Conversation, titleOf } from "./conversation-form.ts";
import { extentIn, integer, withCaller, wordsIn } from "./line.ts";
import { messageForm } from "./message-form.ts";
import { messageColumns } from "./messages.ts";

const standardLimit = 25;
const pageSize = 100;
/** So many conversations are searched at a time. */
const atOnce = 4;

/** `wcs conversations search`: in one conversation, or in all of them, the one with the latest message first. */
export async function search(context: Context): Promise<void> {
  const { globals, terminal, args, flags } = context;
  const query = wordsIn(args.words).join(" ");
  const extent = extentIn(context);
  if (flags.conversation !== undefined) {
    const id = integer(flags.conversation, "--conversation");
    const view = {
      op: conversations.messages,
      columns: messageColumns,
      form: async () => messageForm(),
      items: "messages",
    };
    const output = createOutput(view, globals, terminal);
    return withCaller(context, (caller) => output.list(walk(caller, conversations.messages, { id, query }, extent)));
  }
  const titles = new Map<number, string>();
  const form = async () => messageForm({ heading: ({ conversationId: id }) => `${titles.get(id)} (${id})` });
  const view = { op: conversations.messages, columns: ["conversationId", ...messageColumns], form, items: "messages" };
  const output = createOutput(view, globals, terminal);
  await withCaller(context, (caller) => output.list(everywhere(caller, query, extent, titles)));
}

/** What is found in all conversations; notes what those are called. */
async function* everywhere(
  caller: Caller,
  query: string,
  { all, limit }: Extent,
  titles: Map<number, string>,
): AsyncGenerator<Page> {
  let left = limit ?? (all ? Number.POSITIVE_INFINITY : standardLimit);
  if (left < 1) throw new UsageError("--limit must be at least 1");
  const { id: me } = await caller.call(users.current, {});
  const look = async (conversation: Conversation) => ({
    conversation,
    found: await firstPage(caller, conversation.id, query),
  });
  for await (const { conversation, found } of ahead(everyConversation(caller), look)) {
    if (found === undefined || found.data.length === 0) continue;
    titles.set(conversation.id, titleOf(conversation, me));
    for await (const { items, response } of pagesFrom(caller, { id: conversation.id, query }, found)) {
      yield { items: items.slice(0, left), more: items.length >= left, response };
      left -= items.length;
      if (left <= 0) return;
    }
    titles.delete(conversation.id);
  }
}

type Found = Awaited<ReturnType<typeof firstPage>>;

async function firstPage(caller: Caller, id: number, query: string) {
  try {
    return await caller.call(conversations.messages, { id, query, limit: pageSize });
  } catch (error) {
    // It was in the list a moment ago: somebody has taken the user out of it.
    if (error instanceof ServiceError && error.code === "not_found") return undefined;
    throw error;
  }
}

async function* pagesFrom(
  caller: Caller,
  input: { id: number; query: string },
  first: NonNullable<Found>,
): AsyncGenerator<Page> {
  const cursor = first.meta.next_cursor ?? undefined;
  yield { items: first.data, more: cursor !== undefined, response: first };
  if (cursor) yield* walk(caller, conversations.messages, { ...input, cursor }, { all: true, limit: undefined });
}

/** All conversations, archived ones last. What moves up while they are listed comes once. */
async function* everyConversation(caller: Caller): AsyncGenerator<Conversation> {
  const seen = new Set<number>();
  for (const status of ["normal", "archived"] as const) {
    for await (const { items } of walk(caller, conversations.list, { status }, { all: true, limit: undefined })) {
      for (const conversation of items as unknown as readonly Conversation[]) {
        if (!seen.has(conversation.id)) yield conversation;
        seen.add(conversation.id);
      }
    }
  }
}

/** What becomes of the items, in their order, while the work on the next ones is under way. */
async function* ahead<T, R>(items: AsyncIterable<T>, work: (item: T) => Promise<R>): AsyncGenerator<R> {
  const under: Promise<R>[] = [];
  for await (const item of items) {
    const begun = work(item);
    // Whoever takes it hears of its failure; when nobody does, it does not matter.
    begun.catch(() => {});
    if (under.push(begun) >= atOnce) yield await under.shift()!;
  }
  for (const begun of under) yield await begun;
}
