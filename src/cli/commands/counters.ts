import type { Group } from "../tree.ts";

export const counters: Group = {
  summary: "How much is new",
  commands: {},
};
