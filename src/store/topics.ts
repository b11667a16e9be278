/**
 * The subject of a change, for those who wait for one: `outbox` is what is to be delivered, `user:` the right of a user to
 * be signed in and what an administrator may do.
 */
export type Topic = "outbox" | "webhook-events" | "webhook-logs" | `conversation:${number}` | `user:${number}`;

/** Is told which topics changed; undefined: any may have. */
export type Wake = (topics: readonly Topic[] | undefined) => void;

/** Returns the number in the name of a topic of the kind, or undefined. */
export function numberIn(topic: Topic, kind: "conversation" | "user"): number | undefined {
  return topic.startsWith(`${kind}:`) ? Number(topic.slice(kind.length + 1)) : undefined;
}
