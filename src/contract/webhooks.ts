import { z } from "zod";
import { created, id, name, numberedList, pageInput, time, unixTime, url, wholeList } from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";
import { waitSeconds } from "./waits.ts";
import { eventPayload, logEntry, oneWebhook, testEvent, triggers, webhook, wholeEntry } from "./webhook-schemas.ts";

export { type Trigger, testEvent, triggers } from "./webhook-schemas.ts";

const callbackUrl = () =>
  url()
    .refine(hasNoCredentials, "must not hold a user name or password")
    .refine((value) => URL.parse(value)?.port !== "0", "must not have port 0, which nothing listens at")
    .describe("URL to call (http or https)");

function hasNoCredentials(value: string): boolean {
  const parsed = URL.parse(value);
  return parsed === null || (parsed.username === "" && parsed.password === "");
}
const webhookName = () => name().describe("Name of the webhook");
const triggerList = () =>
  z
    .array(z.enum(triggers).meta({ placeholder: "trigger" }))
    .min(1, "must name at least one trigger")
    .max(50)
    .describe("Events to call it for (default all)");

const one = () => ({ id: id("webhooks") });
const entry = () => ({ id: id("webhooks"), log: id().describe("ID of the log entry") });

const logStatuses =
  "an HTTP status like 200, a class of them like 2xx, failed (all but 2xx), or timeout, refused, dns_error, tls_error, blocked, reset or disabled";

export const webhooks = operationGroup("webhooks", {
  create: operation("POST", "/webhooks", "Create a webhook", {
    description:
      "The URL is called when users or units change. The response contains the secret that signs the callbacks; repeats with the same Idempotency-Key get a response without it.",
    access: "administrator",
    input: () => ({
      name: webhookName(),
      uri: callbackUrl(),
      triggers: triggerList().optional(),
      active: z.boolean().optional().describe("Enable the webhook at once; true if not given"),
    }),
    ...created(oneWebhook, "/webhooks/{id}"),
    item: "data",
  }),
  list: operation("GET", "/webhooks", "List webhooks", { access: "administrator", ...wholeList(webhook) }),
  get: operation("GET", "/webhooks/{id}", "Get a webhook", {
    access: "administrator",
    input: one,
    output: oneWebhook,
    item: "data",
  }),
  update: operation("PATCH", "/webhooks/{id}", "Update a webhook", {
    description:
      "Only the given fields change. Disabling a webhook cancels its pending deliveries. After enabling it, use recover to resend what failed.",
    access: "administrator",
    input: () => ({
      id: id("webhooks"),
      name: webhookName().optional(),
      uri: callbackUrl().optional(),
      triggers: triggerList().optional().describe("Events to call it for; replaces the present ones"),
      active: z.boolean().optional().describe("Enable the webhook; false disables it"),
    }),
  }),
  delete: operation("DELETE", "/webhooks/{id}", "Delete a webhook with its log and pending deliveries", {
    access: "administrator",
    input: one,
  }),
  rotateSecret: operation("POST", "/webhooks/{id}/rotate-secret", "Replace the secret of a webhook", {
    description:
      "For 24 hours, callbacks are also signed with the old secret, and with earlier ones that were replaced less than 24 hours ago: up to five in all. Repeats with the same Idempotency-Key get a response without the secret.",
    access: "administrator",
    input: one,
    output: oneWebhook,
    item: "data",
  }),
  test: operation("POST", "/webhooks/{id}/test", "Send a test event and show the result", {
    description: `Makes one attempt, with the event type ${testEvent}. If it was not sent in the time to wait, there is no result (data is null).`,
    access: "administrator",
    input: () => ({ id: id("webhooks"), wait: waitSeconds(20) }),
    output: () => z.object({ data: logEntry().nullable(), webhook_event_id: z.string() }),
    item: "data",
    transaction: "own",
    errors: ["too_many_requests"],
  }),
  recover: operation("POST", "/webhooks/{id}/recover", "Resend the events that failed permanently since a time", {
    description:
      "Events that wait for their next attempt are not sent sooner. To send them at once, disable the webhook, which cancels them, enable it and then use recover.",
    access: "administrator",
    input: () => ({ id: id("webhooks"), since: time().describe("Only events at or after this time") }),
    output: () => z.object({ recovered: z.int() }),
    knownBy: "recovered",
  }),
  logs: operation("GET", "/webhooks/{id}/logs", "List the delivery attempts of a webhook, newest first", {
    description:
      "meta.total counts at most 10,000 entries after the page. Entries are kept for the number of days in the setting webhooks.log_days.",
    access: "administrator",
    input: () => ({
      id: id("webhooks"),
      event: z
        .enum([...triggers, testEvent])
        .optional()
        .meta({ placeholder: "event", description: "Only attempts for this event" }),
      status: z
        .string()
        .regex(
          /^(\d{3}|[1-5]xx|failed|timeout|refused|dns_error|tls_error|blocked|reset|disabled)$/,
          `must be ${logStatuses}`,
        )
        .optional()
        .meta({ placeholder: "status", description: `Only attempts with this result: ${logStatuses}` }),
      user: id("users").optional().describe("Only attempts for events of this user"),
      since: time().optional().describe("Only attempts at or after this time"),
      after: z.int().min(0).optional().describe("Only entries with an ID above this one"),
      before: z.int().min(1).optional().describe("Only entries with an ID below this one"),
      ...pageInput(500, 20),
    }),
    ...numberedList(logEntry),
    list: { items: "data", paging: "ids" },
  }),
  log: operation("GET", "/webhooks/{id}/logs/{log}", "Get a delivery attempt with its request and response", {
    access: "administrator",
    input: entry,
    output: () => z.object({ data: wholeEntry() }),
    item: "data",
  }),
  resend: operation("POST", "/webhooks/{id}/logs/{log}/resend", "Resend the event of a log entry", {
    description: "The event keeps its ID and gets all attempts again.",
    access: "administrator",
    input: entry,
  }),
  stats: operation("GET", "/webhooks/{id}/stats", "Count successful and failed attempts over time", {
    access: "administrator",
    input: () => ({
      id: id("webhooks"),
      since: time().optional().describe("Start of the period (default 24 hours ago)"),
      parts: z.int().min(1).max(200).default(24).describe("Number of equal parts of the period, 1 to 200"),
    }),
    ...wholeList(() => z.object({ start: unixTime(), succeeded: z.int(), failed: z.int() })),
  }),
  events: operation("GET", "/webhooks/events", "Wait for new events", {
    description:
      "Responds when there are events after the given ID, or after wait seconds. Without after, the response has no events, and meta.last_id is the ID to start from. Events are recorded if a webhook needs them or if somebody called this operation within the last 90 seconds; they are kept as long as the logs.",
    access: "administrator",
    input: () => ({
      after: z.int().min(0).optional().describe("Continue after meta.last_id of the previous response"),
      wait: waitSeconds(0),
      limit: z.int().min(1).max(500).default(100).describe("Maximum number of events, 1 to 500"),
    }),
    output: () => z.object({ data: z.array(eventPayload()), meta: z.object({ last_id: z.int() }) }),
    list: { items: "data" },
    transaction: "own",
    errors: ["too_many_requests"],
  }),
});
