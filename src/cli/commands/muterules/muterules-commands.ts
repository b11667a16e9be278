import { muterules as ops } from "../../../contract/muterules.ts";
import { type Commands, command } from "../../kit/command-spec.ts";

export const muterules: Commands = { list: command(ops.list, { columns: ["id", "name", "seconds"] }) };
