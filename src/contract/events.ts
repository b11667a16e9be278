import { room } from "./operation.ts";

export const events = room("events", {});
