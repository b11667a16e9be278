import { timezones as ops } from "../../contract/timezones.ts";
import type { Group } from "../tree.ts";

export const timezones: Group = {
  summary: "Time zones and their offsets",
  commands: { list: { op: ops.list, columns: ["name", "offset"] } },
};
