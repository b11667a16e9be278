import { counters as ops } from "../../../contract/counters.ts";
import { type Commands, command } from "../../kit/command-spec.ts";

export const counters: Commands = {
  list: command(ops.list, { showEmpty: true, examples: ["wcs counters list", "wcs counters list --query news"] }),
  reset: command(ops.reset, { done: ({ type }) => `Reset counter ${type}.`, examples: ["wcs counters reset news"] }),
};
