import type { posts as contract } from "../../contract/posts.ts";
import type { Handlers } from "../context.ts";

export const posts = {} as Handlers<typeof contract>;
