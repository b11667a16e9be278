import { languages as ops } from "../../../contract/languages.ts";
import { type Commands, command } from "../../kit/command-spec.ts";

export const languages: Commands = { list: command(ops.list, { columns: ["code", "name"] }) };
