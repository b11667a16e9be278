/** Subject of a change: `outbox` stands for deliveries, `user:` for sign-ins and rights of administration. */
export type Topic = "outbox" | "webhook-events" | "webhook-logs" | `conversation:${number}` | `user:${number}`;

/** Receives the changed topics; undefined when any topic may have changed. */
export type ChangeListener = (topics: readonly Topic[] | undefined) => void;
