import { muterules as ops } from "../../../contract/muterules.ts";
import { type CommandGroup, command } from "../../kit/command-spec.ts";

export const muterules: CommandGroup = {
  summary: "List the rules for muting posts and conversations",
  commands: {
    list: command(ops.list, {
      columns: ["id", "name", "seconds"],
    }),
  },
};
