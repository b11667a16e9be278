import { z } from "zod";
import { noContent, nothing } from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

export const counterNames = ["groups", "events", "news", "messages"] as const;
/** Maximum value of a counter, and the number of newest items that it examines. */
export const mostCounted = 100;
export const mostLookedAt = 500;

const count = (description: string) => z.int().meta({ description });

export const counters = operationGroup("counters", {
  list: operation({
    method: "GET",
    path: "/counters",
    summary: "How much is new to you",
    description: `What you may read and have not seen, since you were added and since the counter was last reset. Counts up to ${mostCounted}, among the newest ${mostLookedAt} posts that are meant for you, the newest ${mostLookedAt} events, and your newest ${mostLookedAt} conversations.`,
    access: "signed_in",
    input: nothing,
    output: () =>
      z
        .object({
          groups: count("Debates in your groups"),
          events: count("Calendar events and event posts"),
          news: count("News"),
          messages: count("Unread messages in conversations that are not archived"),
        })
        .meta({ id: "Counters" }),
    status: 200,
  }),
  reset: operation({
    method: "DELETE",
    path: "/counters/{type}",
    summary: "Reset a counter",
    description: "It counts what comes from now on. Nothing is marked as seen by that.",
    access: "signed_in",
    input: () => z.strictObject({ type: z.enum(counterNames) }),
    output: noContent,
    status: 204,
    private: true,
  }),
});
