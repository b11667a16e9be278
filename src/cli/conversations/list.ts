import { conversations } from "../../contract/conversations.ts";
import type { ArgumentsOf, Caller } from "../../contract/operation.ts";
import { users } from "../../contract/users.ts";
import { UsageError } from "../failure.ts";
import { createOutput, formatOf } from "../output.ts";
import { walk } from "../paging.ts";
import { findPeople } from "../people.ts";
import { readScalar } from "../scalars.ts";
import type { Context } from "../tree.ts";
import { conversationList } from "./conversation-form.ts";
import { extentIn, listIn, withCaller } from "./line.ts";

type Filter = ArgumentsOf<typeof conversations.list>;

export const statuses = ["normal", "archived", "unread"] as const;
const columns = [
  "id",
  "type",
  "title",
  "participants.name",
  "unread_message_count",
  "latest_message.date",
  "latest_message.message",
];

/** `wcs conversations list` */
export async function list(context: Context): Promise<void> {
  const { globals, terminal, flags } = context;
  const extent = extentIn(context);
  const { status, keyword } = flags as Pick<Filter, "status" | "keyword">;
  if (status !== undefined) readScalar({ kind: "string", values: statuses }, status, "--status");
  if (flags.with && flags.without) throw new UsageError("--with and --without exclude each other");
  await withCaller(context, async (caller) => {
    const people = await peopleIn(context, caller);
    // Everybody is in their own conversations: a person looks for the others.
    const me = formatOf(globals, terminal) === "table" ? (await caller.call(users.current, {})).id : undefined;
    const form = me === undefined ? undefined : async () => conversationList(me);
    const output = createOutput({ op: conversations.list, columns, form, items: "conversations" }, globals, terminal);
    await output.list(walk(caller, conversations.list, { status, keyword, ...people }, extent));
  });
}

async function peopleIn(
  { flags }: Context,
  caller: Caller,
): Promise<Pick<Filter, "participants" | "participants_mode">> {
  const flag = flags.with ? "--with" : "--without";
  const named = listIn(flags.with ?? flags.without);
  if (named.length === 0) return {};
  return {
    participants: await findPeople(named, flag, caller),
    participants_mode: flags.with ? "find" : "exclude",
  };
}
