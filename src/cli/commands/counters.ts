import { counterNames, counters as ops } from "../../contract/counters.ts";
import type { Group } from "../tree.ts";

export const counters: Group = {
  summary: "How much is new",
  commands: {
    list: { op: ops.list, whole: true, examples: ["wcs counters list", "wcs counters list --query news"] },
    reset: {
      op: ops.reset,
      args: [{ field: "type", completes: counterNames }],
      done: "Counter {type} counts from now on.",
      examples: ["wcs counters reset news"],
    },
  },
};
