// biome-ignore-all format: a table is read by its columns
import { conversations } from "../../src/contract/conversations.ts";
import { events } from "../../src/contract/events.ts";
import { type Field as Described, fieldsOf } from "../../src/contract/field-spec.ts";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { posts } from "../../src/contract/posts.ts";
import type { ActorName } from "./actors.ts";
import type { Scene } from "./permission-table.ts";

/** Adds things of the outsider to the scene, in whose operations hidden ones can be named. */
export interface HiddenScene extends Scene {
  readonly own: { readonly post: number; readonly event: number; readonly conversation: number };
}

export async function addOwnThings(scene: Scene): Promise<HiddenScene> {
  const { outsider } = scene.actors;
  const poll = { question: "Which?", choices: [{ title: "This" }, { title: "That" }] };
  const post = await outsider.call(posts.create, { content_type: "debate", title: "Mine", poll });
  const event = await outsider.call(events.create, { title: "Mine", type: "user", ...times });
  const sent = await outsider.call(conversations.create, { recipients: [scene.southerner], message: "Mine" });
  return { ...scene, own: { post: post.id, event: event.id, conversation: sent.conversationId } };
}

export type Kind = "post" | "event" | "conversation" | "message" | "file" | "comment" | "choice" | "group" | "session";

/** Lists things that exist, each with an actor who may not know of it. */
export const hidden: Record<Kind, readonly (readonly [about: string, actor: ActorName, id: (scene: Scene) => number])[]> = {
  post: [
    ["news for others", "outsider", ({ posts }) => posts.news],
    ["a draft", "outsider", ({ posts }) => posts.draft],
    ["a draft for one's own unit", "member", ({ posts }) => posts.draft],
    ["a debate of another unit", "manager", ({ posts }) => posts.debate],
    ["one that was deleted", "outsider", ({ posts }) => posts.deleted],
  ],
  event: [
    ["one for others", "outsider", ({ events }) => events.chain],
    ["one for another unit", "manager", ({ events }) => events.unit],
    ["one for another user type", "member", ({ events }) => events.typed],
    ["a personal one, to an administrator", "administrator", ({ events }) => events.personal],
    ["one that was deleted", "outsider", ({ events }) => events.deleted],
  ],
  conversation: [
    ["one of others", "outsider", ({ talk }) => talk.group],
    ["one of others, to an administrator", "administrator", ({ talk }) => talk.group],
  ],
  message: [["one of others", "outsider", ({ talk }) => talk.ofMember]],
  file: [
    ["of an event", "outsider", ({ groups }) => groups.ofEvent],
    ["of a draft", "outsider", ({ groups }) => groups.ofDraft],
    ["of a message", "outsider", ({ groups }) => groups.ofMessage],
    ["of a private group", "outsider", ({ groups }) => groups.ofBoard],
    ["a video of an event", "outsider", ({ events }) => events.file],
    ["a video of a post", "outsider", ({ posts }) => posts.file],
  ],
  comment: [["on a post for others", "outsider", ({ posts }) => posts.comment]],
  choice: [["in a post for others", "outsider", ({ posts }) => posts.choice]],
  group: [
    ["a private one", "outsider", ({ groups }) => groups.board],
    ["a private one, to a manager", "manager", ({ groups }) => groups.board],
  ],
  session: [
    ["of another user", "outsider", ({ tokens }) => tokens.session],
    ["of another user, to an administrator", "administrator", ({ tokens }) => tokens.session],
  ],
};

/** Holds the kind of thing that a field names, an input with the ID in it, and its outcome where that is not the usual one. */
export type Line = readonly [kind: Kind, input: (scene: HiddenScene, id: number) => object, outcome?: "not_found"];

const times = { start: 1_800_000_000, end: 1_800_003_600 };
const film = [{ type: "youtube", name: "Film", data: "https://www.youtube.com/watch?v=abcdefghijk" }];
const titled = { title: "B" };
const debate = { content_type: "debate", title: "New" };

const id = (kind: Kind, more: object = {}): { id: Line } => ({ id: [kind, (_, id) => ({ id, ...more })] });
const ofMessage = (more: object = {}): Record<string, Line> => ({
  id: ["conversation", ({ talk }, id) => ({ id, messageId: talk.ofMember, ...more })],
  messageId: ["message", ({ own }, messageId) => ({ id: own.conversation, messageId, ...more })],
});
const participant = (more: object = {}): Record<string, Line> => ({
  id: ["conversation", ({ ids }, id) => ({ id, user: ids.colleague, ...more })],
});
const member = (more: object = {}): Record<string, Line> => ({
  id: ["group", ({ ids }, id) => ({ id, user: ids.colleague, ...more })],
});
const choices: Line = ["choice", ({ own }, id) => ({ id: own.post, poll: { choices: [{ id, title: "A" }, titled] } })];

/** Has a line for each field that names a thing which is hidden from some. */
export const hiddenTable: Record<string, Record<string, Line>> = {
  "posts.list": { group: ["group", (_, group) => ({ group })] },
  "posts.get": id("post"),
  "posts.create": {
    group: ["group", (_, group) => ({ ...debate, group })],
    "poll.choices.id": ["choice", (_, id) => ({ ...debate, poll: { question: "Q", choices: [{ id, title: "A" }, titled] } })],
  },
  "posts.update": { ...id("post", { title: "Changed" }), "poll.choices.id": choices },
  "posts.delete": id("post"),
  "posts.seen": id("post"),
  "posts.read": id("post"),
  "posts.like": id("post"),
  "posts.unlike": id("post"),
  "posts.bookmark": id("post"),
  "posts.unbookmark": id("post"),
  "posts.mute": id("post", { mute_rule: 1 }),
  "posts.unmute": id("post"),
  "posts.republish": id("post"),
  "posts.vote": { ...id("post"), choices: ["choice", ({ own }, id) => ({ id: own.post, choices: [id] })] },
  "posts.votes": id("post"),
  "posts.readers": id("post"),
  "posts.participants": id("post"),
  "posts.participate": id("post", { answer: "accepted" }),
  "posts.unparticipate": id("post"),
  "posts.commentList": { ...id("post"), parent_id: ["comment", ({ own }, parent_id) => ({ id: own.post, parent_id })] },
  "posts.commentAdd": {
    ...id("post", { body: "Comment" }),
    parent_id: ["comment", ({ own }, parent_id) => ({ id: own.post, body: "Comment", parent_id })],
  },
  "posts.commentDelete": {
    id: ["post", ({ posts }, id) => ({ id, comment: posts.comment })],
    comment: ["comment", ({ own }, comment) => ({ id: own.post, comment })],
  },
  "posts.filesAdd": id("post", { files: film }),
  "posts.fileDelete": {
    id: ["post", ({ posts }, id) => ({ id, file: posts.file })],
    file: ["file", ({ own }, file) => ({ id: own.post, file })],
  },

  "events.get": id("event"),
  "events.update": id("event", { title: "Changed" }),
  "events.delete": id("event"),
  "events.seen": id("event"),
  "events.filesAdd": { id: ["event", (_, id) => ({ id, files: film }), "not_found"] },
  "events.filesAddTo": id("event", { files: film }),
  "events.fileDelete": {
    id: ["event", ({ events }, id) => ({ id, file: events.file })],
    file: ["file", ({ own }, file) => ({ id: own.event, file })],
  },
  "events.participants": id("event"),
  "events.accept": id("event"),
  "events.withdraw": id("event"),

  "groups.get": id("group"),
  "groups.update": id("group", { name: "New" }),
  "groups.delete": id("group"),
  "groups.members": id("group"),
  "groups.imageSet": id("group", { files: film }),
  "groups.imageDelete": id("group"),
  "groups.memberAdd": id("group"),
  "groups.memberSet": member({ role: "administrator" }),
  "groups.memberRemove": member(),

  "conversations.get": id("conversation"),
  "conversations.update": id("conversation", { mute_rule: 1, title: "New" }),
  "conversations.delete": id("conversation"),
  "conversations.seen": id("conversation"),
  "conversations.archive": id("conversation"),
  "conversations.unarchive": id("conversation"),
  "conversations.mute": id("conversation", { mute_rule: 1 }),
  "conversations.unmute": id("conversation"),
  "conversations.participantAdd": { id: ["conversation", ({ ids }, id) => ({ id, users: [ids.outsider] })] },
  "conversations.participantUpdate": participant({ role: "administrator" }),
  "conversations.participantRemove": participant(),
  "conversations.messages": {
    ...id("conversation"),
    starter_message_id: ["message", ({ own }, id) => ({ id: own.conversation, starter_message_id: id })],
  },
  "conversations.follow": {
    ...id("conversation", { after: 0 }),
    after: ["message", ({ own }, after) => ({ id: own.conversation, after })],
  },
  "conversations.send": {
    ...id("conversation", { message: "Text" }),
    parent_id: ["message", ({ own }, parent_id) => ({ id: own.conversation, message: "Text", parent_id })],
  },
  "conversations.message": ofMessage(),
  "conversations.messageUpdate": ofMessage({ message: "New" }),
  "conversations.messageDelete": ofMessage(),
  "conversations.react": ofMessage({ emoji: "👍" }),
  "conversations.unreact": ofMessage({ emoji: "👍" }),

  "files.get": id("file"),

  "sessions.end": id("session"),
};

const set = (names: string) => new Set(names.split(" "));
/** Lists numbers that name nothing, and IDs of users, units, departments and user types, which every user may know. */
const numbers = set("limit page wait since until expires_before expires_at start end depth day starthours endhours publish_on unpublish_on close_at count interval bymonthday bymonth bysetpos fileCount mute_rule");
const seenByAll = set("user users unit units units_falldown ability_unit user_type userTypes department recipients participants mentions shares author owner");
/**
 * Lists such names in one group; webhooks, audit and settings are for administrators, and refused before a lookup. That
 * somebody has an API token is no secret, so one of another user is forbidden.
 */
const inGroups: Record<string, Set<string> | undefined> = {
  users: set("id ids from present"),
  units: set("id parent below transfer"),
  usertypes: set("id"),
  webhooks: set("id log after before parts"),
  audit: set("actor"),
  tokens: set("id"),
  settings: set("days expired_days lifetime absolute_lifetime min_length reset_lifetime welcome_lifetime timeout log_days max_bytes"),
};

/** Returns the integers of an operation's input that are neither in the table nor in the lists above. */
export function unclassified(op: AnyOperation): string[] {
  const [group = ""] = op.name.split(".");
  const isOpen = (name: string) => numbers.has(name) || seenByAll.has(name) || inGroups[group]?.has(name);
  return [...integers(fieldsOf(op))].filter((path) => !hiddenTable[op.name]?.[path] && !isOpen(path.split(".").at(-1)!));
}

/** Yields the paths of all integers of an input, also in lists and objects. */
export function* integers(fields: readonly Described[], above = ""): Generator<string> {
  for (const field of fields) {
    const { kind, fields: inner } = field.items ?? field;
    if (kind === "integer") yield `${above}${field.name}`;
    if (inner) yield* integers(inner, `${above}${field.name}.`);
  }
}
