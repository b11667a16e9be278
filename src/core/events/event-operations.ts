import type { events as contract } from "../../contract/events.ts";
import type { Handlers } from "../pipeline/context.ts";
import { changing } from "./change-event.ts";
import { files } from "./event-files.ts";
import { marks } from "./event-marks.ts";
import { reading } from "./read-events.ts";

export const events: Handlers<typeof contract> = { ...reading, ...changing, ...files, ...marks };
