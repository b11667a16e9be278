export { createEngine, type Engine, type EngineOptions } from "./engine.ts";
export { missingForMail } from "./mail/mail-worker.ts";
export { listOutbox, type OutboxItem } from "./queue/list-outbox.ts";
export { type OutboxState, outboxState } from "./queue/outbox-state.ts";
