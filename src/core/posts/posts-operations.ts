import type { posts as contract } from "../../contract/posts.ts";
import { fileHandlers } from "../files/file-handlers.ts";
import type { Admission, Checks, Handlers } from "../pipeline/context.ts";
import { requireAbility } from "../pipeline/permissions.ts";
import { abilityFor } from "../visibility/post-visibility.ts";
import { changedPostIssues, postChangeHandlers } from "./change-post.ts";
import { commentIssues, comments } from "./comment-operations.ts";
import { create, newPostIssues } from "./create-post.ts";
import { findEditable } from "./find-post.ts";
import { touch } from "./index-post.ts";
import { readerListHandlers } from "./list-readers.ts";
import { postMarkHandlers } from "./post-marks.ts";
import { postFilterIssues, postReadHandlers } from "./read-posts.ts";
import { voting } from "./vote.ts";

export const posts = {
  ...postReadHandlers,
  create,
  ...postChangeHandlers,
  ...postMarkHandlers,
  ...voting,
  ...comments,
  ...readerListHandlers,
  ...fileHandlers("post", { find: findEditable, touch }),
} satisfies Handlers<typeof contract>;

export const checks: Checks<typeof contract> = {
  list: postFilterIssues,
  create: newPostIssues,
  update: changedPostIssues,
  commentAdd: commentIssues,
};

export const admission: Admission<typeof contract> = {
  async create({ actor }, { content_type }) {
    if (content_type !== undefined && content_type !== "debate") requireAbility(actor, abilityFor(content_type));
  },
  filesAdd: async (ctx, { id }) => id !== undefined && findEditable(ctx, id),
};
