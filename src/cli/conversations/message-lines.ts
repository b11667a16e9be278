import type { conversations } from "../../contract/conversations.ts";
import type { OutputOf } from "../../contract/operation.ts";
import { bytesAsText } from "../files/size.ts";
import { cut, widthOf } from "../output/width.ts";
import { wrap } from "../output/wrap.ts";
import type { Paint } from "../paint.ts";
import { harmless, oneLine } from "../plain.ts";
import { namesOf } from "./people-names.ts";

export type Message = OutputOf<typeof conversations.message>;
/** A message as another one shows it. */
type Quoted = Omit<Message, "parent">;

/** How messages are shown. */
export interface Look {
  readonly paint: Paint;
  /** Columns of a terminal that a line may take. */
  readonly width: number;
  /** A point in time, in Unix seconds, for eyes. */
  readonly time: (seconds: number) => string;
}

const indent = "    ";
const mostReactors = 3;
const mostJoined = 10;

/** A message in readable form: who, when and its ID, the text, reactions and files; a reply is indented and quotes. */
export function linesOf(message: Message, look: Look): string[] {
  const before = message.is_reply ? indent : "";
  const { paint } = look;
  const inner = { ...look, width: Math.max(look.width - before.length, 20) };
  const lines =
    message.type === "service"
      ? [headOf(`— ${eventOf(message)}`, message, inner, paint.dim)]
      : [headOf(oneLine(message.author.name), message, inner, paint.strong), ...bodyOf(message, inner)];
  return lines.map((line) => (line === "" ? "" : before + line));
}

function headOf(title: string, { date, id, edited_at, deleted }: Message, look: Look, paint: (text: string) => string) {
  const about = [look.time(date), String(id), ...(edited_at !== null && !deleted ? ["edited"] : [])].join(" · ");
  return `${paint(cut(title, Math.max(look.width - widthOf(about) - 2, 8)))}  ${look.paint.dim(about)}`;
}

function bodyOf(message: Message, look: Look): string[] {
  const { paint, width } = look;
  const quote = message.is_reply ? [paint.dim(cut(`│ ${quoteOf(message.parent)}`, width))] : [];
  if (message.deleted) return [...quote, paint.dim("This message was deleted.")];
  const notes = [...reactionsOf(message), ...attachmentsOf(message)].flatMap((note) => wrap(note, width));
  return [...quote, ...wrap(textOf(message.message), width), ...notes.map(paint.dim)];
}

/** The text for a terminal of any kind: what is no line break stands on one line, and does nothing. */
const textOf = (text: string) => harmless(text.replaceAll("\r\n", "\n").trimEnd()).replaceAll("\t", indent);

const quoteOf = (parent: Quoted | null) => (parent === null ? "an earlier message" : summaryOf(parent));

/** A message in one line: who says what, or what happened. */
export function summaryOf(message: Quoted): string {
  if (message.type === "service") return eventOf(message);
  const said = message.deleted ? "(deleted)" : beginningOf(message.message);
  return `${oneLine(message.author.name)}: ${oneLine(said)}`;
}

/** As much of a text as a line can show at most. */
const beginningOf = (text: string) =>
  text
    .slice(0, 1000)
    .replace(/[\ud800-\udbff]$/, "")
    .replace(/\s+/g, " ")
    .trim();

/** What a service message tells of, in words. */
function eventOf({ author, meta }: Quoted): string {
  const users = meta?.users ?? [];
  const who = oneLine(author.name);
  const whom = namesOf(users, mostJoined);
  const byThemselves = users.every(({ id }) => id === author.id);
  switch (meta?.event) {
    case "joined":
      return byThemselves ? `${who} joined` : `${who} added ${whom}`;
    case "left":
      return byThemselves ? `${who} left` : `${who} removed ${whom}`;
    case "renamed":
      return meta.title ? `${who} named it “${oneLine(meta.title)}”` : `${who} took away its name`;
    default:
      return "Something happened";
  }
}

function reactionsOf({ reactions }: Message): string[] {
  if (reactions.length === 0) return [];
  const byEmoji = Map.groupBy(reactions, ({ emoji }) => emoji);
  const shown = [...byEmoji].map(
    ([emoji, same]) =>
      `${oneLine(emoji)} ${namesOf(
        same.map(({ user }) => user),
        mostReactors,
      )}`,
  );
  return [shown.join("  ")];
}

function attachmentsOf({ files, voice }: Message): string[] {
  const named = files.map(({ name, type, size, source }) =>
    type === "upload"
      ? `file: ${oneLine(name)} (${bytesAsText(size)})`
      : `video: ${oneLine(name)} (${oneLine(source)})`,
  );
  return voice ? [...named, `voice message (${Math.round(voice.duration)} s)`] : named;
}
