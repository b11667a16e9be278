import type { events as contract } from "../../contract/events.ts";
import type { Handlers } from "../context.ts";

export const events = {} as Handlers<typeof contract>;
