import type { counters as contract } from "../contract/counters.ts";
import type { Handlers } from "./context.ts";

export const counters: Handlers<typeof contract> = {};
