import { z } from "zod";
import { comment } from "./comment-schemas.ts";
import { id, idOf, multiline, name, unixTime } from "./common-schemas.ts";
import type { Reference } from "./field-metadata.ts";
import { file } from "./file-schemas.ts";
import { once } from "./operation.ts";
import { poll, pollFields } from "./poll-schemas.ts";
import { participation, postEvent, postEventFields } from "./post-event-schemas.ts";
import { shortUser } from "./user-schemas.ts";

export const contentTypes = ["news", "debate", "event"] as const;
export type ContentType = (typeof contentTypes)[number];

const place = once(() => ({
  id: idOf("units"),
  name: z.string(),
  level: z.int(),
  unit_type: z.string(),
  url: z.string(),
}));

const readers = "when it was last published or its readers changed";

/** A post as the current user sees it. */
export const post = once(() =>
  z
    .object({
      id: idOf("posts"),
      content_type: z.enum(contentTypes),
      title: z.string(),
      body: z.string(),
      show_in_feed: z.boolean(),
      important: z.boolean(),
      actively_requires_action: z.boolean(),
      mute_rule: z.int().nullable(),
      seen_by_user: z.boolean(),
      has_unseen_mention: z.boolean().meta({ description: "In the post or a comment, since it was marked as seen" }),
      pinned: z.object({ show_in_main_feed: z.boolean(), until: unixTime().nullable() }).nullable(),
      confirm: z.object({
        enabled: z.boolean(),
        total: z.int().meta({ description: `How many active users it was for ${readers}; up to 100,000` }),
        confirmed: z.int(),
      }),
      publish: z.object({
        status: z.boolean(),
        published_at: unixTime().nullable().meta({ description: "Null before the first time" }),
        publish_on: unixTime().nullable(),
        unpublish_on: unixTime().nullable(),
        created_at: unixTime(),
        updated_at: unixTime(),
      }),
      event: postEvent().nullable(),
      interaction: z.object({ seen: z.boolean(), liked: z.boolean(), read: z.boolean(), bookmarked: z.boolean() }),
      stats: z.object({ comments: z.int(), likes: z.int(), reads: z.int() }),
      sharing: z.object({ shared: z.boolean(), shares: z.array(idOf("users")).meta({ description: "User IDs" }) }),
      visibility: z.object({
        owner_unit: z.object(place()),
        all_units: z.boolean(),
        units: z.array(z.object({ ...place(), falldown: z.boolean() })),
        userTypes: z.array(z.object({ id: idOf("usertypes"), name: z.string() })).meta({ description: "None: all" }),
      }),
      uploading_files: z.int(),
      files: z.array(file()),
      permissions: z.object({ edit: z.boolean(), delete: z.boolean() }),
      comments: z.object({
        enabled: z.boolean(),
        count: z.int().meta({ description: "On the post itself" }),
        replies: z.int().meta({ description: "To other comments" }),
        latest: comment().nullable(),
      }),
      mentions: z.array(shortUser()),
      group: z.object({ id: idOf("groups"), name: z.string(), image: z.null() }).nullable(),
      author: shortUser(),
      poll: poll().nullable(),
      participation: participation().nullable().meta({ deprecated: true, description: "See event.participation" }),
      translations: z.null(),
    })
    .meta({ id: "Post" }),
);

const listed = (refersTo: Reference) => z.array(id(refersTo)).max(500).optional();

const visibility = once(() =>
  z.strictObject({
    all_units: z.boolean().optional().meta({ description: "Everybody, whatever the unit" }),
    units: listed("units").meta({ description: "Members of these units" }),
    units_falldown: listed("units").meta({ description: "Members of these units and of all below" }),
    userTypes: listed("usertypes").meta({ description: "Only holders of one of these user types; none: all" }),
  }),
);

const publish = once(() =>
  z.strictObject({
    status: z.boolean().optional().meta({ description: "false makes it a draft, true publishes it now" }),
    publish_on: unixTime().nullable().optional().meta({ description: "When to publish it" }),
    unpublish_on: unixTime().nullable().optional().meta({ description: "When to take it back" }),
  }),
);

const pinned = once(() =>
  z.strictObject({
    show_in_main_feed: z.boolean().optional().meta({ description: "On top of the main feed, too" }),
    until: unixTime().nullable().optional().meta({ description: "Until when" }),
  }),
);

export const mentioned = () =>
  z.array(id("users")).max(100).optional().meta({ description: "Users whom the text speaks to" });

/** The input fields of a post, except title, body, content type, unit and group. */
export const postFields = () => ({
  visibility: visibility().optional(),
  sharing: z
    .strictObject({ shares: listed("users").meta({ description: "Users who may read it in any case" }) })
    .optional(),
  comments: z.strictObject({ enabled: z.boolean().optional().meta({ description: "Readers may comment" }) }).optional(),
  confirm: z
    .strictObject({ enabled: z.boolean().optional().meta({ description: "Readers are asked to confirm" }) })
    .optional(),
  show_in_feed: z.boolean().optional(),
  publish: publish().optional(),
  important: z.boolean().optional(),
  actively_requires_action: z.boolean().optional(),
  poll: pollFields().nullable().optional(),
  pinned: pinned().nullable().optional(),
  event: postEventFields().optional(),
  mentions: mentioned(),
});

export const postTitle = () => name();
export const postBody = () => multiline(100_000);
