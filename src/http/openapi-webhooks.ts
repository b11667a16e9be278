import type { ZodOpenApiObject } from "zod-openapi";
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
    "v1, and the base64 of HMAC-SHA256 over id.timestamp.body; for 24 hours after the secret was rotated several of them, separated by spaces",
  ),
];

const responses = {
  "2XX": { description: "The event arrived" },
  "410": { description: "Disables the webhook at once" },
  default: { description: "The event is sent again later, after Retry-After if the response has it" },
};

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: "string" as const };

/** The things that events are about. References, because zod-openapi would describe them as input. */
const subjects = {
  user: { ...reference("User"), description: "The user after the change" },
  unit: { ...reference("Unit"), description: "The unit after the change" },
  webhook: {
    type: "object" as const,
    description: "The webhook that is tested",
    properties: { content_type: { const: "webhook" }, id: { type: "integer" as const }, name: text, url: text },
    required: ["content_type", "id", "name", "url"],
  },
};

const participles = { create: "created", update: "updated", delete: "deleted", test: "tested" };

/** Describes the requests that the service sends to the URLs of webhooks. */
export function describeWebhooks(): Webhooks {
  return Object.fromEntries(
    ([...triggers, testEvent] as const).map((event) => [event, { post: describeCallback(event) }]),
  );
}

function describeCallback(event: Trigger | typeof testEvent) {
  const [subject = "", verb] = event.split(".");
  const schema = {
    type: "object" as const,
    properties: {
      type: { const: event },
      timestamp: { ...text, format: "date-time", description: "Time of the change" },
      data: subjects[subject as keyof typeof subjects],
    },
    required: ["type", "timestamp", "data"],
  };
  return {
    operationId: `callback.${event}`,
    tags: ["Webhooks"],
    summary: `A ${subject} was ${participles[verb as keyof typeof participles]}`,
    description:
      "The service sends this to the URL of a webhook, in the format of Standard Webhooks (https://www.standardwebhooks.com/). An event can arrive twice, and events can arrive in another order.",
    security: [],
    parameters,
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses,
  };
}
