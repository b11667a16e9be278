import type { posts as contract } from "../../contract/posts.ts";
import type { Handlers } from "../context.ts";
import { changing } from "./changing.ts";
import { comments } from "./comments.ts";
import { create } from "./creating.ts";
import { files } from "./files.ts";
import { marks } from "./marks.ts";
import { reading } from "./reading.ts";
import { voting } from "./voting.ts";

export const posts = {
  ...reading,
  create,
  ...changing,
  ...marks,
  ...voting,
  ...comments,
  ...files,
} satisfies Handlers<typeof contract>;
