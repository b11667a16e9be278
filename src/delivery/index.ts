export { outboxState, type Waiting } from "./counts.ts";
export { createEngine, type Engine, type EngineOptions } from "./engine.ts";
export { missingForMail } from "./mail.ts";
export { listOutbox, type OutboxItem } from "./outbox.ts";
