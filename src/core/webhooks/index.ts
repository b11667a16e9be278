import type { webhooks as contract } from "../../contract/webhooks.ts";
import type { Handlers } from "../context.ts";
import { changing } from "./changing.ts";
import { events } from "./listening.ts";
import { logs } from "./logs.ts";
import { reading } from "./reading.ts";
import { sending } from "./sending.ts";

export const webhooks: Handlers<typeof contract> = { ...reading, ...changing, ...logs, ...sending, events };
