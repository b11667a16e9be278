import { z } from "zod";
import { component } from "./common-schemas.ts";
import { operation, operationGroup } from "./operation.ts";

export const counterNames = ["groups", "events", "news", "messages"] as const;
/** Maximum value of a counter, and the number of newest items that it examines. */
export const maxCounted = 100;
export const maxLookedAt = 500;

const count = (description: string) => z.int().describe(description);

export const counters = operationGroup("counters", {
  list: operation("GET", "/counters", "Count new posts, events and messages", {
    description: `Counts items that you can read and have not seen, since your account was created and since the counter was last reset. What you muted does not count. Each count is at most ${maxCounted} and includes the newest ${maxLookedAt} posts for you, the newest ${maxLookedAt} events and your newest ${maxLookedAt} conversations.`,
    access: "signed_in",
    output: component("Counters", () => ({
      groups: count("Debates in your groups"),
      events: count("Calendar events and event posts"),
      news: count("News"),
      messages: count("Unread messages in conversations that are not archived"),
    })),
    knownBy: "groups",
  }),
  reset: operation("DELETE", "/counters/{type}", "Reset a counter", {
    description: "It then counts new items only. Nothing is marked as seen.",
    access: "signed_in",
    input: () => ({ type: z.enum(counterNames).describe("Counter to reset") }),
    private: true,
    transaction: "locking",
  }),
});
