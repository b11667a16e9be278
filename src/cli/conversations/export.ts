import { conversations } from "../../contract/conversations.ts";
import { timesIn } from "../cells.ts";
import { keepHeapSmall } from "../heap.ts";
import { checkZone } from "../output.ts";
import { readScalar } from "../scalars.ts";
import { noPaint } from "../terminal.ts";
import { type Export, exportItems } from "../transfer/exporting.ts";
import type { Context } from "../tree.ts";
import { describe } from "./conversation-form.ts";
import { integer } from "./line.ts";
import { type Look, linesOf, type Message } from "./message-lines.ts";

export const exportFormats = ["ndjson", "text"] as const;
const pageSize = 100;

/** `wcs conversations export`: all messages, oldest first, to a file or to stdout. */
export async function exportMessages(context: Context): Promise<void> {
  const { args, flags, globals } = context;
  const id = integer(args.id, "<id>");
  const path = (flags.output as string | undefined) ?? "-";
  const isText = formatFor(path, flags.format as string | undefined) === "text";
  const look: Look = { paint: noPaint, width: Number.POSITIVE_INFINITY, time: timesIn(checkZone(globals.tz)).short };
  let title = "";
  const text = (messages: readonly Message[]) => {
    if (!isText) return messages.map((message) => `${JSON.stringify(message)}\n`).join("");
    const above = title;
    title = "";
    return above + messages.map((message) => `\n${linesOf(message, look).join("\n")}\n`).join("");
  };
  await exportItems<Message>({ name: "messages", path, head: "", text }, context, async (to) => {
    title = describe(await to.caller.call(conversations.get, { id }));
    await fromTheFirst(id, to);
  });
}

/** The format that was asked for, else the one that the name of the file says; else JSON lines. */
function formatFor(path: string, asked: string | undefined): (typeof exportFormats)[number] {
  if (asked === undefined) return /\.(txt|text)$/i.test(path) ? "text" : "ndjson";
  return readScalar({ kind: "string", values: exportFormats }, asked, "--format") as (typeof exportFormats)[number];
}

/** Writes the messages up to the one that is the last now: others may go on talking. */
async function fromTheFirst(id: number, { caller, signal, write }: Export<Message>): Promise<void> {
  const last = (await caller.call(conversations.follow, { id }, { signal })).meta.last_id;
  for (let after = 0; ; ) {
    const { data, meta } = await caller.call(conversations.follow, { id, after, limit: pageSize }, { signal });
    await write(data);
    if (data.length === 0 || data.some((message) => message.id === last)) return;
    after = meta.last_id;
    keepHeapSmall();
  }
}
