import type { webhooks as contract } from "../../contract/webhooks.ts";
import type { Handlers } from "../pipeline/context.ts";
import { webhookChangeHandlers } from "./change-webhook.ts";
import { webhookEventHandlers } from "./poll-events.ts";
import { webhookReadHandlers } from "./read-webhooks.ts";
import { webhookSendHandlers } from "./send-events.ts";
import { webhookLogHandlers } from "./webhook-logs.ts";

export const webhooks: Handlers<typeof contract> = {
  ...webhookReadHandlers,
  ...webhookChangeHandlers,
  ...webhookLogHandlers,
  ...webhookSendHandlers,
  events: webhookEventHandlers,
};
