import { z } from "zod";
import type { ZodOpenApiObject } from "zod-openapi";
import { once } from "../contract/once.ts";
import { unit } from "../contract/unit-schemas.ts";
import { user } from "../contract/user-schemas.ts";
import { type Trigger, testEvent, triggers } from "../contract/webhook-schemas.ts";

type Webhooks = NonNullable<ZodOpenApiObject["webhooks"]>;

const header = (name: string, description: string) => ({
  name,
  in: "header" as const,
  required: true,
  description,
  schema: { type: "string" as const },
});

/** The headers of Standard Webhooks. */
const parameters = [
  header("webhook-id", "ID of the event, the same for all attempts"),
  header("webhook-timestamp", "Unix time of the attempt in seconds"),
  header(
    "webhook-signature",
    "v1, and the base64 of HMAC-SHA256 over id.timestamp.body; several with spaces between them for 24 hours after the secret was rotated",
  ),
];

const responses = {
  "2XX": { description: "The event arrived" },
  "410": { description: "Disables the webhook at once" },
  default: { description: "The event is sent again later, after Retry-After if the response has it" },
};

const testedWebhook = once(() =>
  z.object({ content_type: z.literal("webhook"), id: z.int(), name: z.string(), url: z.string() }),
);

const subjects = {
  user: { schema: user, description: "The user after the change" },
  unit: { schema: unit, description: "The unit after the change" },
  webhook: { schema: testedWebhook, description: "The webhook that is tested" },
};

/** Describes the requests that the service sends to the URLs of webhooks. */
export function describeWebhooks(): Webhooks {
  return Object.fromEntries(
    ([...triggers, testEvent] as const).map((event) => [event, { post: describeCallback(event) }]),
  );
}

function describeCallback(event: Trigger | typeof testEvent) {
  const subject = subjects[event.slice(0, event.indexOf(".")) as keyof typeof subjects];
  const schema = z.object({
    type: z.literal(event),
    timestamp: z.iso.datetime().describe("Time of the change"),
    data: subject.schema().describe(subject.description),
  });
  return {
    operationId: `callback.${event}`,
    tags: ["Webhooks"],
    summary: `Receive ${event}`,
    description:
      "The service sends this to the URL of a webhook, in the format of Standard Webhooks (https://www.standardwebhooks.com/). An event can arrive twice, and events can arrive in another order.",
    security: [],
    parameters,
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses,
  };
}
