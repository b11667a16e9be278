import { room } from "./operation.ts";

export const counters = room("counters", {});
