import type { posts as contract } from "../../contract/posts.ts";
import type { Handlers } from "../pipeline/context.ts";
import { changing } from "./change-post.ts";
import { comments } from "./comment-operations.ts";
import { create } from "./create-post.ts";
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
