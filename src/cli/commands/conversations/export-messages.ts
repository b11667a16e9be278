import { conversations } from "../../../contract/conversations.ts";
import { type Export, exportItems } from "../../file-io/export-file.ts";
import { pickFormat } from "../../file-io/file-format.ts";
import { limitHeap } from "../../file-io/heap-limit.ts";
import type { Context } from "../../kit/command-spec.ts";
import { checkZone } from "../../output/create-output.ts";
import { timesIn } from "../../output/format-value.ts";
import type { Frame } from "../../output/text-layout.ts";
import { noPaint } from "../../terminal/terminal.ts";
import { conversationOf } from "./conversation-arguments.ts";
import { messageLines, type ShownMessage } from "./message-lines.ts";
import { describeConversation } from "./render-conversation.ts";

const pageSize = 100;

export async function exportMessages(context: Context): Promise<void> {
  const { flags, globals } = context;
  const idFor = conversationOf(context);
  const path = (flags.output as string | undefined) ?? "-";
  const isText = pickFormat(["ndjson", "text"], /\.(txt|text)$/i, path, flags.format) === "text";
  const frame: Frame = { paint: noPaint, width: Number.POSITIVE_INFINITY, time: timesIn(checkZone(globals.tz)).short };
  let title = "";
  const text = (messages: readonly ShownMessage[]) => {
    if (!isText) return messages.map((message) => `${JSON.stringify(message)}\n`).join("");
    const above = title;
    title = "";
    return above + messages.map((message) => `\n${messageLines(message, frame).join("\n")}\n`).join("");
  };
  await exportItems<ShownMessage>({ name: "messages", path, head: "", text }, context, async (to) => {
    const id = await idFor(to.caller);
    title = describeConversation(await to.caller.call(conversations.get, { id }));
    await fromTheFirst(id, to);
  });
}

/** Writes the messages up to the latest one at the start of the export, so that new messages do not prolong it. */
async function fromTheFirst(id: number, { caller, signal, write }: Export<ShownMessage>): Promise<void> {
  const last = (await caller.call(conversations.follow, { id }, { signal })).meta.last_id;
  for (let after = 0; ; ) {
    const { data, meta } = await caller.call(conversations.follow, { id, after, limit: pageSize }, { signal });
    await write(data);
    if (data.length === 0 || data.some((message) => message.id === last)) return;
    after = meta.last_id;
    limitHeap();
  }
}
