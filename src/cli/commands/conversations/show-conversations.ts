import { conversations } from "../../../contract/conversations.ts";
import type { ArgumentsOf, Caller } from "../../../contract/operation.ts";
import { users } from "../../../contract/users.ts";
import { UsageError } from "../../errors/cli-errors.ts";
import type { Context } from "../../kit/command-spec.ts";
import { findByName } from "../../kit/find-by-name.ts";
import { parseChoice, splitList } from "../../kit/parse-value.ts";
import { extentOf, pageOf, walk } from "../../kit/walk-list.ts";
import { createOutput, formatOf } from "../../output/create-output.ts";
import { withCaller } from "./command-line.ts";
import { conversationList } from "./render-conversation.ts";

type Filter = ArgumentsOf<typeof conversations.list>;

const statuses = ["normal", "archived", "unread"] as const;
const columns = [
  "id",
  "type",
  "title",
  "participants.name",
  "unread_message_count",
  "latest_message.date",
  "latest_message.message",
];

export async function showConversations(context: Context): Promise<void> {
  const { flags } = context;
  const extent = extentOf(context);
  const { status, keyword } = flags as Pick<Filter, "status" | "keyword">;
  if (status !== undefined) parseChoice(statuses, status, "--status");
  if (flags.with && flags.without) throw new UsageError("--with and --without cannot be used together");
  await withCaller(context, async (caller) => {
    const people = await peopleIn(context, caller);
    // A table leaves the caller out of the titles, so it needs the caller's ID.
    const me = formatOf(context) === "table" ? (await caller.call(users.current, {})).id : undefined;
    const renderer = me === undefined ? undefined : async () => conversationList(me);
    const output = createOutput({ op: conversations.list, columns, renderer, items: "conversations" }, context);
    await output.list(walk(caller, conversations.list, { status, keyword, ...people, ...pageOf(context) }, extent));
  });
}

async function peopleIn(
  { flags, terminal }: Context,
  caller: Caller,
): Promise<Pick<Filter, "participants" | "participants_mode">> {
  const flag = flags.with ? "--with" : "--without";
  const named = splitList(flags.with ?? flags.without);
  if (named.length === 0) return {};
  const [participants = []] = await findByName([{ label: flag, kind: "users", texts: named }], caller, terminal);
  return { participants, participants_mode: flags.with ? "find" : "exclude" };
}
