import type { Group } from "../tree.ts";

export const groups: Group = {
  summary: "Groups and their members, the home of debates",
  commands: {},
};
