import type { units as contract } from "../../contract/units.ts";
import type { Handlers } from "../context.ts";
export const importRows: Handlers<typeof contract>["import"] = async () => ({ results: [] });
