import { z } from "zod";
import { component, idOf, unitCore, unixTime, userCore } from "./common-schemas.ts";
import { file } from "./file-schemas.ts";
import { once } from "./once.ts";

export const triggers = [
  "user.create",
  "user.update",
  "user.delete",
  "unit.create",
  "unit.update",
  "unit.delete",
] as const;
export type Trigger = (typeof triggers)[number];

/** The event type of a test. It is not a trigger, so receivers can tell it from real events. */
export const testEvent = "webhook.test";

const place = component("WebhookAuthorUnit", () => ({
  ...unitCore(),
  parent_id: idOf("units").nullable(),
  stats: z.array(z.never()),
  url: z.string(),
}));

const permissions = () => ({ permissions: z.object({ edit: z.boolean(), delete: z.boolean() }) });

const author = component("WebhookAuthor", () => ({
  ...userCore(),
  ...permissions(),
  avatar: file().nullable(),
  unit: place().nullable(),
  physicalUnit: place().nullable(),
  url: z.string(),
}));

export const webhook = component("Webhook", () => ({
  content_type: z.literal("webhook"),
  id: idOf("webhooks"),
  name: z.string(),
  uri: z.string(),
  triggers: z.array(z.enum(triggers)),
  active: z.boolean(),
  disabled_at: unixTime().nullable(),
  disabled_reason: z
    .enum(["manual", "gone", "failing"])
    .nullable()
    .meta({
      values: {
        manual: "disabled by an administrator",
        gone: "the receiver responded with status 410",
        failing: "every attempt failed for 5 days",
      },
    }),
  secret: z
    .string()
    .optional()
    .meta({
      secret: true,
      description: "Signs the callbacks (Standard Webhooks). Returned only once, when it is created or rotated",
    }),
  author: author(),
  ...permissions(),
  created_at: unixTime(),
  updated_at: unixTime(),
  url: z.string(),
}));
export const oneWebhook = once(() => z.object({ data: webhook() }));

const logFields = {
  id: z.int(),
  event: z.string(),
  uri: z.string(),
  status: z
    .string()
    .describe(
      "HTTP status, or timeout, refused, dns_error, tls_error, blocked, reset, or disabled: not sent, because the webhook was disabled",
    ),
  webhook_event_id: z.string().describe("Header webhook-id; the same for all attempts"),
  attempt: z.int(),
  duration_ms: z.int(),
  created_at: unixTime(),
  error: z.string().nullable(),
  next_attempt_at: unixTime().nullable(),
};
export const logEntry = component("WebhookLogEntry", () => logFields);
const headers = () => z.record(z.string(), z.string());
export const wholeEntry = component("WebhookLogDetails", () => ({
  ...logFields,
  request: z.object({ headers: headers(), body: z.string().nullable() }),
  response: z
    .object({ headers: headers(), body: z.string(), cut: z.boolean() })
    .nullable()
    .describe("Has the first 4 KiB of the body; null if there was no response"),
}));

export const eventPayload = component("WebhookEvent", () => ({
  id: z.int(),
  webhook_event_id: z.string(),
  created_at: unixTime(),
  payload: z.object({ type: z.string(), timestamp: z.string(), data: z.record(z.string(), z.unknown()) }),
}));
