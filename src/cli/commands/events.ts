import type { Group } from "../tree.ts";

export const events: Group = {
  summary: "Calendar events, their files and participants",
  commands: {},
};
