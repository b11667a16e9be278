import { room } from "./operation.ts";

export const posts = room("posts", {});
