import { timezones as ops } from "../../../contract/timezones.ts";
import { type CommandGroup, command } from "../../kit/command-spec.ts";

export const timezones: CommandGroup = {
  summary: "List time zones and their offsets",
  commands: {
    list: command(ops.list, {
      columns: ["name", "offset"],
    }),
  },
};
