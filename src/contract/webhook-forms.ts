import { z } from "zod";
import { once } from "./operation.ts";

/** What a webhook can be called for. */
export const triggers = [
  "user.create",
  "user.update",
  "user.delete",
  "unit.create",
  "unit.update",
  "unit.delete",
] as const;
export type Trigger = (typeof triggers)[number];

/** What a test sends: it is no trigger, and the receiver can tell it from what happened. */
export const testEvent = "webhook.test";

const place = once(() =>
  z
    .object({
      content_type: z.literal("unit"),
      id: z.int(),
      name: z.string(),
      level: z.int(),
      unit_type: z.string(),
      parent_id: z.int().nullable(),
      stats: z.array(z.never()),
      url: z.string(),
    })
    .meta({ id: "WebhookAuthorUnit" }),
);

const permissions = () => ({ permissions: z.object({ edit: z.boolean(), delete: z.boolean() }) });

const author = once(() =>
  z
    .object({
      content_type: z.literal("user"),
      id: z.int(),
      name: z.string(),
      first_name: z.string(),
      last_name: z.string(),
      title: z.string(),
      active: z.boolean(),
      ...permissions(),
      avatar: z.null(),
      unit: place().nullable(),
      physicalUnit: place().nullable(),
      url: z.string(),
    })
    .meta({ id: "WebhookAuthor" }),
);

export const webhook = once(() =>
  z
    .object({
      content_type: z.literal("webhook"),
      id: z.int(),
      name: z.string(),
      uri: z.string(),
      triggers: z.array(z.enum(triggers)),
      active: z.boolean(),
      disabled_at: z.int().nullable(),
      disabled_reason: z
        .enum(["manual", "gone", "failing"])
        .nullable()
        .meta({ description: "By hand; the receiver said 410; nothing but failures for 5 days" }),
      secret: z.string().optional().meta({
        secret: true,
        description:
          "Signs the callbacks (Standard Webhooks); only in the first answer that creates or rotates it, and never again",
      }),
      author: author(),
      ...permissions(),
      created_at: z.int(),
      updated_at: z.int(),
      url: z.string(),
    })
    .meta({ id: "Webhook" }),
);
export const oneWebhook = once(() => z.object({ data: webhook() }));

const logFields = {
  id: z.int(),
  event: z.string(),
  uri: z.string(),
  status: z.string().meta({
    description:
      "HTTP status, or timeout, refused, dns_error, tls_error, blocked, reset; disabled: not sent, because the webhook was",
  }),
  webhook_event_id: z.string().meta({ description: "The header webhook-id: the same in all attempts" }),
  attempt: z.int(),
  duration_ms: z.int(),
  created_at: z.int(),
  error: z.string().nullable(),
  next_attempt_at: z.int().nullable(),
};
export const logEntry = once(() => z.object(logFields).meta({ id: "WebhookLogEntry" }));
const headers = () => z.record(z.string(), z.string());
export const wholeEntry = once(() =>
  z
    .object({
      ...logFields,
      request: z.object({ headers: headers(), body: z.string().nullable() }),
      response: z
        .object({ headers: headers(), body: z.string(), cut: z.boolean() })
        .nullable()
        .meta({ description: "The body's first 4 KiB; null when no response came" }),
    })
    .meta({ id: "WebhookLogDetails" }),
);

export const event = once(() =>
  z
    .object({
      id: z.int(),
      webhook_event_id: z.string(),
      created_at: z.int(),
      payload: z.object({ type: z.string(), timestamp: z.string(), data: z.record(z.string(), z.unknown()) }),
    })
    .meta({ id: "WebhookEvent" }),
);
