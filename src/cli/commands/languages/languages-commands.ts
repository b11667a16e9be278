import { languages as ops } from "../../../contract/languages.ts";
import { type CommandGroup, command } from "../../kit/command-spec.ts";

export const languages: CommandGroup = {
  summary: "List the languages of the instance",
  commands: {
    list: command(ops.list, {
      columns: ["code", "name"],
    }),
  },
};
