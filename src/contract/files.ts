import { room } from "./operation.ts";

export const files = room("files", {});
