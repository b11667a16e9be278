import type { groups as contract } from "../../contract/groups.ts";
import type { Handlers } from "../pipeline/context.ts";
import { groupChangeHandlers } from "./change-group.ts";
import { groupMemberHandlers } from "./group-members.ts";
import { groupReadHandlers } from "./read-groups.ts";

export const groups = { ...groupReadHandlers, ...groupChangeHandlers, ...groupMemberHandlers } satisfies Handlers<
  typeof contract
>;
