import type { posts as contract } from "../../contract/posts.ts";
import { inOrderOf } from "../directory/in-order-of.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { findPost } from "./find-post.ts";
import { listPosts } from "./list-posts.ts";
import { loadPosts } from "./post-rows.ts";
import { type Post, presentPosts } from "./present-posts.ts";

export const postReadHandlers: Pick<Handlers<typeof contract>, "list" | "get"> = {
  async list(ctx, input) {
    const { ids, meta } = await listPosts(ctx, input);
    const rows = ids.length === 0 ? [] : await loadPosts(ctx, ids);
    return { data: await presentPosts(ctx, inOrderOf(ids, rows)), meta };
  },

  get: (ctx, { id }) => onePost(ctx, id),
};

/** Returns a post as the actor sees it. Throws like `findPost`. */
export async function onePost(ctx: Ctx, id: number): Promise<Post> {
  const [post] = await presentPosts(ctx, [await findPost(ctx, id)]);
  // One row gives one representation.
  return post!;
}
