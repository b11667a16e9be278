import type { posts as contract } from "../../contract/posts.ts";
import type { Handlers } from "../context.ts";

export const posts: Handlers<typeof contract> = {};
