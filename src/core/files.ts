import type { files as contract } from "../contract/files.ts";
import type { Handlers } from "./context.ts";

export const files: Handlers<typeof contract> = {};
