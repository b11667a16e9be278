import type { posts as contract } from "../../contract/posts.ts";
import type { Admission, Handlers } from "../pipeline/context.ts";
import { requireSomewhere } from "../pipeline/permissions.ts";
import { changing } from "./change-post.ts";
import { comments } from "./comment-operations.ts";
import { create } from "./create-post.ts";
import { findEditable } from "./find-post.ts";
import { files } from "./post-files.ts";
import { marks } from "./post-marks.ts";
import { reading } from "./read-posts.ts";
import { voting } from "./vote.ts";

export const posts = {
  ...reading,
  create,
  ...changing,
  ...marks,
  ...voting,
  ...comments,
  ...files,
} satisfies Handlers<typeof contract>;

export const admission: Admission<typeof contract> = {
  async create({ actor }, { content_type }) {
    if (content_type === "event") requireSomewhere(actor, "calendar");
    else if (content_type !== undefined && content_type !== "debate") requireSomewhere(actor, "news");
  },
  async filesAdd(ctx, { id }) {
    if (id !== undefined) await findEditable(ctx, id);
  },
};
