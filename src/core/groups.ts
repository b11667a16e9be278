import type { groups as contract } from "../contract/groups.ts";
import type { Handlers } from "./context.ts";

export const groups: Handlers<typeof contract> = {};
