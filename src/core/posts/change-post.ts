import { isDeepStrictEqual } from "node:util";
import type { posts as contract } from "../../contract/posts.ts";
import { deleteRows, findRow, updateRow } from "../../store/bulk.ts";
import { titleLookupKey } from "../directory/text-keys.ts";
import { removeFiles } from "../files/attached-files.ts";
import { deleteInPortions, inPortions } from "../pipeline/change-in-portions.ts";
import { listChangedColumns } from "../pipeline/changed-columns.ts";
import type { Checks, Ctx, Handlers } from "../pipeline/context.ts";
import { requireNoIssues } from "../pipeline/field-issues.ts";
import { type Audience, changeAudience } from "../visibility/audience.ts";
import { isPublished } from "../visibility/post-visibility.ts";
import { findEditable, type PostRow } from "./find-post.ts";
import { replacePostPlaces } from "./index-post.ts";
import { setMentions } from "./mentions.ts";
import { type PostBefore, type PostFields, planPost } from "./plan-post.ts";
import { addPoll, changePoll, pollOf, removePoll } from "./polls.ts";
import { postAudienceOf, requirePostPlaces } from "./post-audience.ts";
import { mark } from "./post-marks.ts";
import { recountReaders } from "./recount-post.ts";

export const postChangeHandlers = {
  async update(ctx, { id, ...fields }) {
    const before = await loadPost(ctx, id);
    const { row } = before;
    const { plan, issues } = await planPost(ctx, fields, homeOf(row), before);
    requireNoIssues(issues);
    await requirePostPlaces(ctx, row.content_type, plan.audience, before.audience);
    const columns = listChangedColumns(row, plan.columns);
    const isAudienceNew = !isDeepStrictEqual(sortedAudience(before.audience), sortedAudience(plan.audience));
    if (isAudienceNew) await changeAudience(ctx, row.audience_id, plan.audience);
    const isPollNew = await setPoll(ctx, before, fields.poll);
    const areMentionsNew = fields.mentions !== undefined && (await setMentions(ctx, id, fields.mentions));
    if (Object.keys(columns).length === 0 && !isAudienceNew && !isPollNew && !areMentionsNew) return;
    const title_key = columns.title === undefined ? undefined : titleLookupKey(columns.title);
    await updateRow(ctx.db, "posts", id, { ...columns, title_key, updated_at: ctx.now });
    await replacePostPlaces(ctx, id);
    const isRecounted =
      isAudienceNew || "published_at" in columns || "event" in columns || "confirm_enabled" in columns;
    if (isRecounted) await recountReaders(ctx, id);
  },

  async delete(ctx, { id }) {
    const row = await findEditable(ctx, id);
    await removeFiles(ctx, "post", [id]);
    await removeAnswers(ctx, id);
    await deleteRows(ctx.db, "post_places", { post_id: id });
    // The audience is kept, so that only users who could read the published post learn that it was deleted.
    const unpublished = isPublished(row, ctx.now) ? {} : { draft: 1 as const, publish_on: null };
    await updateRow(ctx.db, "posts", id, { ...erased, ...unpublished, deleted_at: ctx.now, updated_at: ctx.now });
  },

  async republish(ctx, { id }) {
    const { unpublish_on } = await findEditable(ctx, id);
    const { now, db, actor } = ctx;
    await updateRow(db, "posts", id, {
      draft: 0,
      publish_on: null,
      unpublish_on: unpublish_on !== null && unpublish_on <= now ? null : unpublish_on,
      published_at: now,
      listed_at: now,
      updated_at: now,
    });
    const rows = { column: "post_id", owner: id, key: "user_id" } as const;
    await inPortions(db, { table: "post_marks", ...rows }, (some) =>
      db.updateTable("post_marks").set({ seen_at: null }).where(some).where("seen_at", "is not", null).execute(),
    );
    await inPortions(db, { table: "post_mentions", ...rows }, (some) =>
      db.updateTable("post_mentions").set({ seen: 0 }).where(some).where("user_id", "<>", actor.id).execute(),
    );
    await replacePostPlaces(ctx, id);
    await mark(ctx, id, { seen_at: now });
    await recountReaders(ctx, id);
  },
} satisfies Partial<Handlers<typeof contract>>;

async function removeAnswers({ db }: Ctx, post: number): Promise<void> {
  const poll = await findRow(db, "polls", { post_id: post }, ["id"]);
  if (poll !== undefined) {
    await deleteInPortions(db, { table: "poll_votes", column: "poll_id", owner: poll.id, key: "user_id" });
    await deleteRows(db, "polls", { id: poll.id });
  }
  const ofPost = { column: "post_id", owner: post };
  await deleteInPortions(db, { table: "post_mentions", ...ofPost, key: "user_id" });
  await deleteInPortions(db, { table: "comments", ...ofPost, key: "id" });
  await deleteInPortions(db, { table: "post_marks", ...ofPost, key: "user_id" });
}

const homeOf = (row: PostRow) => ({ content_type: row.content_type, owner: row.owner_id, group: row.group_id });

/** Returns the issues of those changed fields that depend on each other or on data; see `Checks`. */
export const changedPostIssues: NonNullable<Checks<typeof contract>["update"]> = async (ctx, { id, ...fields }) => {
  if (id === undefined) return {};
  const before = await loadPost(ctx, id);
  return (await planPost(ctx, fields, homeOf(before.row), before)).issues;
};

const erased = {
  title: "",
  title_key: "",
  body: "",
  event: null,
  reader_count: null,
  comment_count: 0,
  reply_count: 0,
  like_count: 0,
  read_count: 0,
  accepted_count: 0,
  rejected_count: 0,
} as const;

async function loadPost(ctx: Ctx, id: number): Promise<PostBefore> {
  const row = await findEditable(ctx, id);
  return {
    row,
    audience: await postAudienceOf(ctx.db, row),
    poll: row.poll_id === null ? undefined : await pollOf(ctx, row),
  };
}

function sortedAudience({ everywhere, units, userTypes, shares }: Audience) {
  const ids = (list: readonly number[]) => [...new Set(list)].sort((a, b) => a - b);
  return { everywhere, units: units.toSorted((a, b) => a.id - b.id), userTypes: ids(userTypes), shares: ids(shares) };
}

async function setPoll(ctx: Ctx, { row, poll }: PostBefore, fields: PostFields["poll"]): Promise<boolean> {
  if (fields && poll) return changePoll(ctx, poll, fields);
  if (fields) await addPoll(ctx, row.id, fields);
  else if (fields === null && poll) await removePoll(ctx, poll);
  else return false;
  return true;
}
