import type { users as contract } from "../../contract/users.ts";
import type { Handlers } from "../context.ts";
export const importRows: Handlers<typeof contract>["import"] = async () => ({ results: [] });
