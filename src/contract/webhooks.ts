import { z } from "zod";
import { id, name, noContent, nothing, numberedPage, unixTime, url } from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";
import { waitSeconds } from "./waits.ts";
import { event, logEntry, oneWebhook, testEvent, triggers, webhook, wholeEntry } from "./webhook-schemas.ts";

export { type Trigger, testEvent, triggers } from "./webhook-schemas.ts";

const callbackUrl = () =>
  url()
    .refine(hasNoCredentials, "must not hold a user name or password")
    .meta({ description: "URL to call, http or https" });

function hasNoCredentials(value: string): boolean {
  const parsed = URL.parse(value);
  return parsed === null || (parsed.username === "" && parsed.password === "");
}
const triggerList = () => z.array(z.enum(triggers)).min(1, "must name at least one trigger").max(50);

const one = () => z.strictObject({ id: id("webhooks") });
const entry = () => z.strictObject({ id: id("webhooks"), log: id() });

export const webhooks = operationGroup("webhooks", {
  create: operation({
    method: "POST",
    path: "/webhooks",
    summary: "Register a URL to be called when users or units change",
    description:
      "Without triggers: all of them. The answer holds the secret that signs the callbacks; a repeat with the same Idempotency-Key is answered without it.",
    access: "administrator",
    input: () => z.strictObject({ name: name(), uri: callbackUrl(), triggers: triggerList().optional() }),
    output: oneWebhook,
    status: 201,
    location: "/webhooks/{id}",
    item: "data",
  }),
  list: operation({
    method: "GET",
    path: "/webhooks",
    summary: "Webhooks",
    access: "administrator",
    input: nothing,
    output: () => z.object({ data: z.array(webhook()) }),
    status: 200,
    list: { items: "data" },
  }),
  get: operation({
    method: "GET",
    path: "/webhooks/{id}",
    summary: "One webhook",
    access: "administrator",
    input: one,
    output: oneWebhook,
    status: 200,
    item: "data",
  }),
  update: operation({
    method: "PATCH",
    path: "/webhooks/{id}",
    summary: "Change a webhook",
    description:
      "Only what is named changes. active false stops what waits to be sent, active true begins anew; see recover.",
    access: "administrator",
    input: () =>
      z.strictObject({
        id: id("webhooks"),
        name: name().optional(),
        uri: callbackUrl().optional(),
        triggers: triggerList().optional(),
        active: z.boolean().optional(),
      }),
    output: noContent,
    status: 204,
  }),
  delete: operation({
    method: "DELETE",
    path: "/webhooks/{id}",
    summary: "Delete a webhook, its log, and what waits to be sent",
    access: "administrator",
    input: one,
    output: noContent,
    status: 204,
  }),
  rotateSecret: operation({
    method: "POST",
    path: "/webhooks/{id}/rotate-secret",
    summary: "Give a webhook a new secret",
    description:
      "For 24 hours callbacks carry two signatures, of the new secret and of the old one. A repeat with the same Idempotency-Key is answered without the secret.",
    access: "administrator",
    input: one,
    output: oneWebhook,
    status: 200,
    item: "data",
  }),
  test: operation({
    method: "POST",
    path: "/webhooks/{id}/test",
    summary: "Send a test event and see what comes of it",
    description: `One attempt with the type ${testEvent}. data is null when nobody delivered it within wait seconds.`,
    access: "administrator",
    input: () => z.strictObject({ id: id("webhooks"), wait: waitSeconds(20) }),
    output: () => z.object({ data: logEntry().nullable(), webhook_event_id: z.string() }),
    status: 200,
    item: "data",
    transaction: "own",
    errors: ["conflict", "too_many_requests"],
  }),
  recover: operation({
    method: "POST",
    path: "/webhooks/{id}/recover",
    summary: "Send again everything that failed for good since a time",
    access: "administrator",
    input: () => z.strictObject({ id: id("webhooks"), since: unixTime() }),
    output: () => z.object({ recovered: z.int() }),
    status: 200,
    errors: ["conflict"],
  }),
  logs: operation({
    method: "GET",
    path: "/webhooks/{id}/logs",
    summary: "Attempts to call a webhook, newest first",
    description: "meta.total counts up to 10,000. Entries are kept for webhooks.log_days (30).",
    access: "administrator",
    input: () =>
      z.strictObject({
        id: id("webhooks"),
        event: z
          .enum([...triggers, testEvent])
          .optional()
          .meta({ description: "Only calls for this trigger" }),
        status: z
          .string()
          .regex(/^[a-z0-9_]{1,20}$/, "must be a status like 200 or timeout")
          .optional()
          .meta({ description: "Only calls that ended so" }),
        since: unixTime().optional().meta({ description: "Only calls made since then" }),
        after: z.int().min(0).optional().meta({ description: "Only entries with a higher ID" }),
        page: z.int().min(1).default(1),
        limit: z.int().min(1).max(500).default(20).meta({ description: "Items per page, 1 to 500" }),
      }),
    output: () => numberedPage(logEntry()),
    status: 200,
    list: { items: "data", paging: "pages" },
  }),
  log: operation({
    method: "GET",
    path: "/webhooks/{id}/logs/{log}",
    summary: "One attempt with its request and response",
    access: "administrator",
    input: entry,
    output: () => z.object({ data: wholeEntry() }),
    status: 200,
    item: "data",
  }),
  resend: operation({
    method: "POST",
    path: "/webhooks/{id}/logs/{log}/resend",
    summary: "Send the event of a log entry again, with the same ID and all attempts",
    access: "administrator",
    input: entry,
    output: noContent,
    status: 204,
    errors: ["conflict"],
  }),
  stats: operation({
    method: "GET",
    path: "/webhooks/{id}/stats",
    summary: "How many attempts succeeded and failed over time",
    access: "administrator",
    input: () =>
      z.strictObject({
        id: id("webhooks"),
        since: unixTime().optional().meta({ description: "Start of the period; default 24 hours ago" }),
        parts: z.int().min(1).max(200).default(24).meta({ description: "Into how many parts the time is divided" }),
      }),
    output: () => z.object({ data: z.array(z.object({ start: unixTime(), succeeded: z.int(), failed: z.int() })) }),
    status: 200,
    list: { items: "data" },
  }),
  events: operation({
    method: "GET",
    path: "/webhooks/events",
    summary: "Events as they happen",
    description:
      "Waits until there is one after the given ID, or for wait seconds. Without after: where to begin. Events are written for whoever asked within the last 90 seconds, and for webhooks; they are kept as long as the logs.",
    access: "administrator",
    input: () =>
      z.strictObject({
        after: z.int().min(0).optional().meta({ description: "meta.last_id of the answer before" }),
        wait: waitSeconds(0),
        limit: z.int().min(1).max(500).default(100),
      }),
    output: () => z.object({ data: z.array(event()), meta: z.object({ last_id: z.int() }) }),
    status: 200,
    list: { items: "data" },
    transaction: "own",
    errors: ["too_many_requests"],
  }),
});
