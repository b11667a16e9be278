import type { events as contract } from "../../contract/events.ts";
import type { Handlers } from "../context.ts";
import { changing } from "./changing.ts";
import { files } from "./files.ts";
import { marks } from "./marks.ts";
import { reading } from "./reading.ts";

export const events: Handlers<typeof contract> = { ...reading, ...changing, ...files, ...marks };
