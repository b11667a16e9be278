import { z } from "zod";
import { comment } from "./comment-schemas.ts";
import { component, id, idOf, inputComponent, multiline, name, time, unixTime } from "./common-schemas.ts";
import type { Reference } from "./field-metadata.ts";
import { file } from "./file-schemas.ts";
import { shownMuteRule } from "./muterules.ts";
import { once } from "./once.ts";
import { poll, pollFields } from "./poll-schemas.ts";
import { eventParticipation, postEvent, postEventFields } from "./post-event-schemas.ts";
import { shortUser } from "./user-schemas.ts";

const contentTypes = ["news", "debate", "event"] as const;
export type ContentType = (typeof contentTypes)[number];

const place = once(() => ({
  id: idOf("units"),
  name: z.string(),
  level: z.int(),
  unit_type: z.string(),
  url: z.string(),
}));

export const post = component("Post", () => ({
  id: idOf("posts"),
  content_type: z.enum(contentTypes),
  title: z.string(),
  body: z.string(),
  show_in_feed: z.boolean(),
  important: z.boolean(),
  actively_requires_action: z
    .boolean()
    .describe(
      "True while you are asked to confirm that you read it and have not, and while its mandatory poll is open without your vote",
    ),
  mute_rule: shownMuteRule(),
  seen_by_user: z.boolean(),
  has_unseen_mention: z
    .boolean()
    .describe("True if you were mentioned in the post or a comment since you marked it as seen"),
  pinned: z.object({ show_in_main_feed: z.boolean(), until: unixTime().nullable() }).nullable(),
  confirm: z.object({
    enabled: z.boolean(),
    total: z
      .int()
      .describe(
        "Number of active users, without service accounts, that it was addressed to when it was last published or its readers changed; at most 100,000",
      ),
    confirmed: z
      .int()
      .describe(
        "Number of users who confirmed it, with service accounts and users to whom it is not addressed (any more)",
      ),
  }),
  publish: z.object({
    status: z.boolean(),
    published_at: unixTime().nullable().describe("Null if it was never published, or was scheduled since"),
    publish_on: unixTime().nullable(),
    unpublish_on: unixTime().nullable(),
    created_at: unixTime(),
    updated_at: unixTime(),
  }),
  event: postEvent().nullable(),
  interaction: z.object({ seen: z.boolean(), liked: z.boolean(), read: z.boolean(), bookmarked: z.boolean() }),
  stats: z.object({ comments: z.int(), likes: z.int(), reads: z.int() }),
  sharing: z.object({ shared: z.boolean(), shares: z.array(idOf("users")).describe("User IDs") }),
  visibility: z.object({
    owner_unit: z.object(place()),
    all_units: z.boolean(),
    units: z.array(z.object({ ...place(), falldown: z.boolean() })),
    userTypes: z.array(z.object({ id: idOf("usertypes"), name: z.string() })).describe("Empty: all user types"),
  }),
  uploading_files: z.int(),
  files: z.array(file()),
  permissions: z.object({ edit: z.boolean(), delete: z.boolean() }),
  comments: z.object({
    enabled: z.boolean(),
    count: z.int().describe("Number of comments on the post itself"),
    replies: z.int().describe("Number of replies to comments"),
    latest: comment().nullable(),
  }),
  mentions: z.array(shortUser()),
  group: z.object({ id: idOf("groups"), name: z.string(), image: file().nullable() }).nullable(),
  author: shortUser(),
  poll: poll().nullable(),
  participation: eventParticipation().nullable().meta({ deprecated: true, description: "See event.participation" }),
  translations: z.null().describe("Always null: posts are not translated"),
}));

export const shownReader = component("PostReader", () => ({
  user: shortUser(),
  seen_at: unixTime().nullable().describe("Time when the user saw it since it was last published"),
  read_at: unixTime().nullable().describe("Time when the user confirmed that they read it"),
}));

const listed = (refersTo: Reference, description: string) =>
  z.array(id(refersTo)).max(500).optional().describe(description);

const visibility = inputComponent("VisibilityInput", () => ({
  all_units: z.boolean().optional().describe("Publish to all units"),
  units: listed("units", "Units whose members can read it"),
  units_falldown: listed("units", "Units whose members, also those of units below, can read it"),
  userTypes: listed("usertypes", "User types that can read it (default all)"),
}));

const publish = inputComponent("PublishInput", () => ({
  status: z
    .boolean()
    .optional()
    .describe("Publish it now; false makes it a draft, unless given with a future publish_on"),
  publish_on: time().nullish().describe("Time at which to publish it"),
  unpublish_on: time().nullish().describe("Time at which to unpublish it"),
}));

const pinned = inputComponent("PinnedInput", () => ({
  show_in_main_feed: z
    .boolean()
    .optional()
    .describe("Pin it to the main feed as well (default false: only to the feeds of its unit and group)"),
  until: time().nullish().describe("Time until which it is pinned"),
}));

export const mentioned = () => z.array(id("users")).max(100).optional().describe("Users mentioned in the text");

/** The input fields of a post, except title, body, content type, unit and group. */
export const postFields = () => ({
  visibility: visibility().optional().describe("Readers of the post"),
  sharing: z
    .strictObject({ shares: listed("users", "Further users who can read it") })
    .optional()
    .describe("Further readers"),
  comments: z
    .strictObject({ enabled: z.boolean().optional().describe("Allow readers to comment") })
    .optional()
    .describe("Comments on the post"),
  confirm: z
    .strictObject({ enabled: z.boolean().optional().describe("Ask readers to confirm that they read it") })
    .optional()
    .describe("Read confirmation"),
  show_in_feed: z.boolean().optional().describe("Show it in the feed of its readers"),
  publish: publish().optional().describe("Publication and its schedule"),
  important: z.boolean().optional().describe("Mark it as important"),
  poll: pollFields().nullish().describe("Poll of the post; null removes it"),
  pinned: pinned().nullish().describe("Pin of the post; null removes it"),
  event: postEventFields().optional().describe("Event of an event post"),
  mentions: mentioned(),
});

export const contentType = () => z.enum(contentTypes).describe("Kind of post");
export const postTitle = () => name().describe("Title of the post");
export const postBody = () => multiline(100_000).describe("Text of the post in Markdown");
