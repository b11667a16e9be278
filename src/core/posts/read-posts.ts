import type { FieldErrors } from "../../contract/errors.ts";
import type { InputOf } from "../../contract/operation.ts";
import type { posts as contract } from "../../contract/posts.ts";
import { inOrderOf } from "../directory/in-order-of.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { filterIssues } from "../pipeline/reference-issues.ts";
import { refuse } from "../pipeline/refuse-issues.ts";
import { groupIssues } from "../visibility/group-visibility.ts";
import { requireReadablePost } from "./find-post.ts";
import { listPosts } from "./list-posts.ts";
import { loadShownPosts } from "./post-rows.ts";
import { type Post, presentPosts } from "./present-posts.ts";

export const postReadHandlers = {
  async list(ctx, input) {
    const { ids, meta } = await listPosts(ctx, input);
    if (ids.length === 0) refuse(await postFilterIssues(ctx, input));
    const rows = ids.length === 0 ? [] : await loadShownPosts(ctx, ids);
    return { data: await presentPosts(ctx, inOrderOf(ids, rows)), meta };
  },

  get: (ctx, { id }) => onePost(ctx, id),
} satisfies Partial<Handlers<typeof contract>>;

export async function postFilterIssues(
  ctx: Ctx,
  { unit, group, author }: Partial<InputOf<typeof contract.list>>,
): Promise<FieldErrors> {
  const others = await filterIssues(ctx, [
    ["unit", "units", unit],
    ["author", "users", author],
  ]);
  return { ...(await groupIssues(ctx, group)), ...others };
}

export async function onePost(ctx: Ctx, id: number): Promise<Post> {
  const [row] = await loadShownPosts(ctx, [id]);
  const [post] = await presentPosts(ctx, [requireReadablePost(ctx, row, id)]);
  // One row gives one representation.
  return post!;
}
