export { createEngine, type Engine, type EngineOptions } from "./engine.ts";
export { listOutbox } from "./queue/list-outbox.ts";
export { countCallbacksSince, outboxState } from "./queue/outbox-state.ts";
export { countExpired, removeExpired } from "./retention/remove-expired.ts";
