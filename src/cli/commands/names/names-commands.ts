import { names as ops } from "../../../contract/names.ts";
import { type Commands, command } from "../../kit/command-spec.ts";

export const names: Commands = {
  find: command(ops.find, {
    args: [{ field: "texts", label: "text", many: true }],
    columns: ["kind", "id", "name", "detail", "match"],
    examples: ["wcs names find Sailing", 'wcs names find "Ada Lovelace" --kinds users', "wcs names find ref:E-1044"],
  }),
};
