import { room } from "./operation.ts";

export const groups = room("groups", {});
