import type { Updateable } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { posts as contract } from "../../contract/posts.ts";
import { addToRows, updateRows, upsertRow } from "../../store/bulk.ts";
import type { Schema } from "../../store/schema/schema.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { muteFrom } from "../pipeline/mutes.ts";
import { findPost, type PostRow } from "./find-post.ts";
import { lacksVote, pollOf } from "./polls.ts";
import { requireInvitation } from "./stored-event.ts";

/** Operations that mark a post for the actor. Repeating them changes nothing. */
export const postMarkHandlers = {
  seen: async (ctx, { id }) => markSeen(ctx, await findPost(ctx, id)),

  async read(ctx, { id }) {
    const post = await findPost(ctx, id);
    await markSeen(ctx, post);
    if (post.read_at !== null) return;
    if (post.poll_id !== null) {
      const poll = await pollOf(ctx, post);
      if (lacksVote(poll, ctx.now)) {
        throw new ServiceError("conflict", `Vote in the poll of post ${id} first.`);
      }
    }
    await mark(ctx, id, { read_at: ctx.now });
    await addToRows(ctx.db, "posts", id, { read_count: 1 });
  },

  like: (ctx, { id }) => setTime(ctx, id, "liked_at", ctx.now),
  unlike: (ctx, { id }) => setTime(ctx, id, "liked_at", null),
  bookmark: (ctx, { id }) => setTime(ctx, id, "bookmarked_at", ctx.now),
  unbookmark: (ctx, { id }) => setTime(ctx, id, "bookmarked_at", null),

  async mute(ctx, { id, mute_rule }) {
    await findPost(ctx, id);
    await mark(ctx, id, muteFrom(ctx.now, mute_rule));
  },

  async unmute(ctx, { id }) {
    const { mute_rule } = await findPost(ctx, id);
    if (mute_rule !== null) await mark(ctx, id, muteFrom(ctx.now, null));
  },

  participate: (ctx, { id, answer }) => setAnswer(ctx, id, answer),
  unparticipate: (ctx, { id }) => setAnswer(ctx, id, null),
} satisfies Partial<Handlers<typeof contract>>;

async function markSeen(ctx: Ctx, { id, seen_at, mentions_unseen }: PostRow): Promise<undefined> {
  if (seen_at === null) await mark(ctx, id, { seen_at: ctx.now });
  if (mentions_unseen === 0) return;
  await updateRows(ctx.db, "post_mentions", { post_id: id, user_id: ctx.actor.id, seen: 0 }, { seen: 1 });
}

async function setTime(
  ctx: Ctx,
  id: number,
  column: "liked_at" | "bookmarked_at",
  time: number | null,
): Promise<undefined> {
  const before = await findPost(ctx, id);
  if ((before[column] === null) === (time === null)) return;
  await mark(ctx, id, { [column]: time });
  if (column === "liked_at") await addToRows(ctx.db, "posts", id, { like_count: time === null ? -1 : 1 });
}

async function setAnswer(ctx: Ctx, id: number, answer: PostRow["answer"]): Promise<undefined> {
  const post = await findPost(ctx, id);
  requireInvitation(post);
  if (post.answer === answer) return;
  await mark(ctx, id, { answer });
  if (post.answer !== null) await addToRows(ctx.db, "posts", id, { [`${post.answer}_count`]: -1 });
  if (answer !== null) await addToRows(ctx.db, "posts", id, { [`${answer}_count`]: 1 });
}

export function mark({ db, actor }: Ctx, id: number, change: Updateable<Schema["post_marks"]>): Promise<void> {
  return upsertRow(db, "post_marks", { post_id: id, user_id: actor.id }, change);
}
