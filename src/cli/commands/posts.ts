import type { Group } from "../tree.ts";

export const posts: Group = {
  summary: "News, debates and event posts, with comments and polls",
  commands: {},
};
