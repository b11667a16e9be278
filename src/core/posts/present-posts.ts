import type { z } from "zod";
import type { post as contract } from "../../contract/post-schemas.ts";
import { rowsIn } from "../../store/nested-rows.ts";
import { presentAuthorRows, presentAuthors } from "../directory/present-authors.ts";
import { presentNestedFiles } from "../files/attached-files.ts";
import type { Ctx } from "../pipeline/context.ts";
import { currentRule } from "../pipeline/mutes.ts";
import { listsIn } from "../visibility/audience.ts";
import { isPublished } from "../visibility/post-visibility.ts";
import type { PostRow, ShownPostRow } from "./find-post.ts";
import { lacksVote, type Poll, presentPolls } from "./polls.ts";
import { presentComment, usersIn } from "./present-comments.ts";
import { pastPublication } from "./publication.ts";
import { presentPostEvent } from "./stored-event.ts";

export type Post = z.infer<ReturnType<typeof contract>>;

/** Returns the API's representation of posts, in the order of the rows. Runs a constant number of queries. */
export async function presentPosts(ctx: Ctx, rows: readonly ShownPostRow[]): Promise<Post[]> {
  if (rows.length === 0) return [];
  const loaded = await load(ctx, rows);
  return rows.map((row) => present(ctx, row, loaded));
}

type Loaded = Awaited<ReturnType<typeof load>>;
type Parts = ReturnType<typeof partsIn>;

function partsIn(ctx: Ctx, row: ShownPostRow) {
  return {
    ...listsIn(row),
    files: presentNestedFiles(ctx, row.files),
    groupImage: presentNestedFiles(ctx, row.group_image)[0] ?? null,
    mentions: rowsIn(row.mentions, "user_id").map(({ user_id }) => user_id),
    latest: rowsIn(row.latest_comment)[0],
  };
}

async function load(ctx: Ctx, rows: readonly ShownPostRow[]) {
  const parts = new Map(rows.map((row) => [row.id, partsIn(ctx, row)]));
  const pollIds = rows.flatMap((row) => row.poll_id ?? []);
  const [author, polls] = await Promise.all([loadAuthors(ctx, rows, parts), presentPolls(ctx, pollIds)]);
  return { author, polls, parts };
}

function loadAuthors(ctx: Ctx, rows: readonly ShownPostRow[], parts: ReadonlyMap<number, Parts>) {
  const read = rows.flatMap(({ users }) => (users === undefined ? [] : [users]));
  if (read.length > 0)
    return presentAuthorRows(
      ctx,
      read.flatMap((users) => rowsIn(users)),
    );
  const ids = rows.map((row) => row.author_id);
  for (const { mentions, latest } of parts.values()) ids.push(...mentions, ...(latest ? usersIn(latest) : []));
  return presentAuthors(ctx, ids);
}

function present(ctx: Ctx, row: PostRow, loaded: Loaded): Post {
  const { now } = ctx;
  const event = presentPostEvent(row);
  // `load` returns parts for every row.
  const parts = loaded.parts.get(row.id)!;
  const poll = row.poll_id === null ? null : (loaded.polls.get(row.poll_id) ?? null);
  const edits = row.edits === 1;
  // Fields that follow a spread are slow to add and to write as JSON.
  const { sharing, visibility } = presentAudience(row, parts);
  return {
    id: row.id,
    content_type: row.content_type,
    title: row.title,
    body: row.body,
    show_in_feed: row.show_in_feed === 1,
    important: row.important === 1,
    actively_requires_action: requiresAction(row, poll, now),
    mute_rule: currentRule(row, now),
    seen_by_user: row.seen_at !== null,
    has_unseen_mention: row.mentions_unseen === 1,
    pinned: presentPin(row, now),
    confirm: presentConfirmation(row),
    publish: presentPublication(row, now),
    event,
    interaction: presentInteraction(row),
    stats: { comments: row.comment_count + row.reply_count, likes: row.like_count, reads: row.read_count },
    sharing,
    visibility,
    uploading_files: 0,
    files: parts.files,
    permissions: { edit: edits, delete: edits },
    comments: presentCommentStats(ctx, row, parts, loaded.author),
    mentions: parts.mentions.map(loaded.author),
    group: presentGroup(row, parts),
    author: loaded.author(row.author_id),
    poll,
    participation: event?.participation ?? null,
    translations: null,
  };
}

const presentConfirmation = ({ confirm_enabled, reader_count, read_count }: PostRow): Post["confirm"] =>
  confirm_enabled === 1
    ? { enabled: true, total: reader_count ?? 0, confirmed: read_count }
    : { enabled: false, total: 0, confirmed: 0 };

const presentInteraction = (row: PostRow): Post["interaction"] => ({
  seen: row.seen_at !== null,
  liked: row.liked_at !== null,
  read: row.read_at !== null,
  bookmarked: row.bookmarked_at !== null,
});

function presentGroup({ group_id: id, group_name: name }: PostRow, { groupImage }: Parts): Post["group"] {
  return id === null || name === null ? null : { id, name, image: groupImage };
}

/** Returns true for a published post that asks its reader for something: to confirm it, or to vote. */
function requiresAction(row: PostRow, poll: Poll | null, now: number): boolean {
  if (row.reads === 0 || !isPublished(row, now)) return false;
  return (row.confirm_enabled === 1 && row.read_at === null) || (poll !== null && lacksVote(poll, now));
}

function presentPin({ pinned_main_feed, pinned_until }: PostRow, now: number): Post["pinned"] {
  if (pinned_main_feed === null || (pinned_until !== null && pinned_until <= now)) return null;
  return { show_in_main_feed: pinned_main_feed === 1, until: pinned_until };
}

function presentPublication(row: PostRow, now: number): Post["publish"] {
  return {
    status: isPublished(row, now),
    published_at: pastPublication(row, now),
    publish_on: row.publish_on,
    unpublish_on: row.unpublish_on,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

function presentAudience(
  row: PostRow,
  { units, userTypes, shares }: ReturnType<typeof listsIn>,
): Pick<Post, "sharing" | "visibility"> {
  return {
    sharing: { shared: shares.length > 0, shares },
    visibility: {
      owner_unit: {
        id: row.owner_id,
        name: row.owner_name,
        level: row.owner_level,
        unit_type: row.owner_type,
        url: `/units/${row.owner_id}`,
      },
      all_units: row.everywhere === 1,
      units: units.map(({ id, name, level, unit_type, falldown }) => {
        return { id, name, level, unit_type, url: `/units/${id}`, falldown: falldown === 1 };
      }),
      userTypes: userTypes.map(({ id, name }) => ({ id, name })),
    },
  };
}

function presentCommentStats(ctx: Ctx, row: PostRow, { latest }: Parts, author: Loaded["author"]): Post["comments"] {
  return {
    enabled: row.comments_enabled === 1,
    count: row.comment_count,
    replies: row.reply_count,
    latest: latest === undefined ? null : presentComment(ctx, latest, { author, edits: row.edits === 1 }),
  };
}
