import type { conversations } from "../../../contract/conversations.ts";
import type { OutputOf } from "../../../contract/operation.ts";
import { attachmentLine, type Frame, indent, namesOf, textLines } from "../../output/text-layout.ts";
import { sanitizeLine } from "../../terminal/sanitize.ts";
import { cut, widthOf } from "../../terminal/text-width.ts";
import { wrapText } from "../../terminal/wrap-text.ts";

export type ShownMessage = OutputOf<typeof conversations.message>;
type Quoted = Omit<ShownMessage, "parent">;

const maxReactors = 3;
const maxJoined = 10;

/** Formats a message. Replies are indented and quote the message that they answer. */
export function messageLines(message: ShownMessage, frame: Frame): string[] {
  const before = message.is_reply ? indent : "";
  const { paint } = frame;
  const inner = { ...frame, width: Math.max(frame.width - before.length, 20) };
  const lines =
    message.type === "service"
      ? [headOf(`— ${eventOf(message)}`, message, inner, paint.dim)]
      : [headOf(sanitizeLine(message.author.name), message, inner, paint.strong), ...bodyOf(message, inner)];
  return lines.map((line) => (line === "" ? "" : before + line));
}

function headOf(
  title: string,
  { date, id, edited_at, deleted }: ShownMessage,
  frame: Frame,
  paint: (text: string) => string,
) {
  const about = [frame.time(date), String(id), ...(edited_at !== null && !deleted ? ["edited"] : [])].join(" · ");
  return `${paint(cut(title, Math.max(frame.width - widthOf(about) - 2, 8)))}  ${frame.paint.dim(about)}`;
}

function bodyOf(message: ShownMessage, frame: Frame): string[] {
  const { paint, width } = frame;
  const quoted = message.parent === null ? "an earlier message" : summarizeMessage(message.parent);
  const quote = message.is_reply ? [paint.dim(cut(`│ ${quoted}`, width))] : [];
  if (message.deleted) return [...quote, paint.dim("This message was deleted.")];
  const notes = [...reactionsOf(message), ...attachmentsOf(message)].flatMap((note) => wrapText(note, width));
  return [...quote, ...textLines(message.message, width), ...notes.map(paint.dim)];
}

/** Summarizes a message in one line: author and text, or the event of a service message. */
export function summarizeMessage(message: Quoted): string {
  if (message.type === "service") return eventOf(message);
  const said = message.deleted ? "(deleted)" : beginningOf(message.message);
  return `${sanitizeLine(message.author.name)}: ${sanitizeLine(said)}`;
}

/** Returns the first 1000 characters of a text, which is more than a line can show, as one line. */
const beginningOf = (text: string) =>
  text
    .slice(0, 1000)
    .replace(/[\ud800-\udbff]$/, "")
    .replace(/\s+/g, " ")
    .trim();

function eventOf({ author, meta }: Quoted): string {
  const users = meta?.users ?? [];
  const who = sanitizeLine(author.name);
  const whom = namesOf(users, maxJoined);
  const byThemselves = users.every(({ id }) => id === author.id);
  switch (meta?.event) {
    case "joined":
      return byThemselves ? `${who} joined` : `${who} added ${whom}`;
    case "left":
      return byThemselves ? `${who} left` : `${who} removed ${whom}`;
    case "renamed":
      return meta.title ? `${who} named it “${sanitizeLine(meta.title)}”` : `${who} removed its name`;
    default:
      return "Something happened";
  }
}

function reactionsOf({ reactions }: ShownMessage): string[] {
  if (reactions.length === 0) return [];
  const byEmoji = Map.groupBy(reactions, ({ emoji }) => emoji);
  const shown = [...byEmoji].map(
    ([emoji, same]) =>
      `${sanitizeLine(emoji)} ${namesOf(
        same.map(({ user }) => user),
        maxReactors,
      )}`,
  );
  return [shown.join("  ")];
}

function attachmentsOf({ files, voice }: ShownMessage): string[] {
  const named = files.map((file) => attachmentLine(file, "file"));
  return voice ? [...named, `voice message (${Math.round(voice.duration)} s)`] : named;
}
