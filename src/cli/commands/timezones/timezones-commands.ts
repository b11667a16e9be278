import { timezones as ops } from "../../../contract/timezones.ts";
import { type Commands, command } from "../../kit/command-spec.ts";

export const timezones: Commands = { list: command(ops.list, { columns: ["name", "offset"] }) };
