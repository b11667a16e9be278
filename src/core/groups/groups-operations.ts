import type { groups as contract } from "../../contract/groups.ts";
import type { Handlers } from "../pipeline/context.ts";
import { changing } from "./change-group.ts";
import { members } from "./group-members.ts";
import { reading } from "./read-groups.ts";

export const groups = { ...reading, ...changing, ...members } satisfies Handlers<typeof contract>;
