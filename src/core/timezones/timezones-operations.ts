import type { timezones as contract } from "../../contract/timezones.ts";
import type { Handlers } from "../pipeline/context.ts";
import { offsetsAt } from "./zone-offsets.ts";

export const timezones: Handlers<typeof contract> = {
  list: async (ctx) => ({ data: [...(await offsetsAt(ctx.now))], instance: ctx.settings.timezone }),
};
