import { languages as ops } from "../../contract/languages.ts";
import type { Group } from "../tree.ts";

export const languages: Group = {
  summary: "Languages that the instance offers",
  commands: { list: { op: ops.list, columns: ["code", "name"] } },
};
