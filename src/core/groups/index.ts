import type { groups as contract } from "../../contract/groups.ts";
import type { Handlers } from "../context.ts";
import { changing } from "./changing.ts";
import { members } from "./members.ts";
import { reading } from "./reading.ts";

export const groups = { ...reading, ...changing, ...members } satisfies Handlers<typeof contract>;
