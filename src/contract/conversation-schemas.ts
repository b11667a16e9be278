import { z } from "zod";
import { component, departmentBrief, fieldsNamed, idOf, ids, unixTime } from "./common-schemas.ts";
import { file } from "./file-schemas.ts";
import { shownMuteRule } from "./muterules.ts";
import { once } from "./once.ts";

export const maxParticipants = 500;
/** IDs of the participants other than the current user. */
export const others = () => ids("users", maxParticipants - 1);

export const roles = ["member", "administrator"] as const;

export const participant = component("Participant", () => ({
  id: idOf("users"),
  ...fieldsNamed(["first_name", "last_name", "name", "title"], () => z.string()),
  active: z.boolean().describe("False if deactivated or deleted"),
  avatar: file().nullable(),
  archived_at: unixTime().nullable().describe("Time at which the participant archived the conversation"),
  participant_type: z.literal("user"),
  subtext: z.string().describe("Title, or else the first user type, and unit"),
  department: departmentBrief().nullable(),
  unit: z.object({ id: idOf("units"), name: z.string() }).nullable(),
  role: z.enum(roles).nullable().describe("Administrators manage the group; null for participants who left"),
}));

const person = component("Person", () => ({ id: idOf("users"), name: z.string() }));

const reaction = component("Reaction", () => ({ emoji: z.string(), user: person(), created_at: unixTime() }));

const voice = component("Voice", () => ({
  id: z.int(),
  processing: z.boolean(),
  extension: z.string(),
  duration: z.number().meta({ format: "duration" }),
  url: z.string(),
}));

export const serviceEvents = ["joined", "left", "renamed"] as const;

const meta = component("ServiceMessageMeta", () => ({
  event: z.enum(serviceEvents),
  users: z.array(person()).describe("Users who joined or left; the author added or removed them"),
  title: z.string().nullable().describe("The new title"),
}));

const beforeParent = () => ({
  id: z.int(),
  type: z.enum(["normal", "service"]),
  conversationId: idOf("conversations"),
  is_reply: z.boolean(),
});
const afterParent = () => ({
  deleted: z.boolean().describe("A deleted message stays in the list, without text, files and reactions"),
  message: z.string().describe("Empty in service messages and deleted ones"),
  date: unixTime(),
  edited_at: unixTime().nullable(),
  reactions: z.array(reaction()),
  author: participant(),
  files: z.array(file()),
  voice: voice().nullable().describe("Always null: voice messages are not supported"),
  meta: meta().nullable().describe("Details of a service message"),
});

const parent = component("Parent", () => ({ ...beforeParent(), parent: z.null(), ...afterParent() }));

export const message = component("Message", () => ({
  ...beforeParent(),
  parent: parent()
    .nullable()
    .describe("Message that this one replies to; null also if you deleted the conversation after it"),
  ...afterParent(),
}));

const latestMessage = component("LatestMessage", () => ({ ...beforeParent(), ...afterParent() }));

export const conversation = component("Conversation", () => ({
  id: idOf("conversations"),
  type: z.enum(["direct", "group"]),
  title: z.string().nullable().describe("Title of a group; empty if it has none"),
  created_at: unixTime(),
  updated_at: unixTime(),
  latest_message: latestMessage().nullable().describe("Null if you deleted the conversation and it has no new message"),
  mute_rule: shownMuteRule(),
  unread_message_count: z.int().describe("Number of messages by others that you have not seen"),
  participants: z.array(participant()).describe("Participants in the order in which they joined"),
  publish: z.object({ created_at: unixTime(), updated_at: unixTime() }),
  archived_at: unixTime().nullable(),
}));

/** Made on first use, because V8 takes some 10 ms to read it. */
// biome-ignore lint/complexity/useRegexLiterals: V8 reads a literal when it parses the code around it, even if that never runs.
const single = once(() => new RegExp("^\\p{RGI_Emoji}$", "v"));

/** Returns the emoji in its fully-qualified form; undefined when the text is not an emoji. */
function emojiOf(text: string): string | undefined {
  return [text, `${text}\uFE0F`].find((form) => single().test(form));
}

export const emoji = () =>
  z
    .string()
    .refine((value) => value.length <= 40 && emojiOf(value) !== undefined, "must be one emoji")
    .overwrite((value) => emojiOf(value) ?? value)
    .describe("Single emoji, like 👍");
