import type { webhooks as contract } from "../../contract/webhooks.ts";
import type { Handlers } from "../pipeline/context.ts";
import { changing } from "./change-webhook.ts";
import { events } from "./poll-events.ts";
import { reading } from "./read-webhooks.ts";
import { sending } from "./send-events.ts";
import { logs } from "./webhook-logs.ts";

export const webhooks: Handlers<typeof contract> = { ...reading, ...changing, ...logs, ...sending, events };
