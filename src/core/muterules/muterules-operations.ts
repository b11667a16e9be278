import { type muterules as contract, muteRules } from "../../contract/muterules.ts";
import type { Handlers } from "../pipeline/context.ts";

export const muterules: Handlers<typeof contract> = { list: async () => ({ data: [...muteRules] }) };
