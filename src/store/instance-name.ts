import type { Db } from "./database.ts";

/** Returns the name of the instance: the setting `name` or, while it is not set, the name of the root unit. */
export async function instanceName(db: Db, setting: string | null): Promise<string> {
  if (setting !== null) return setting;
  const root = await db.selectFrom("units").select("name").where("parent_id", "is", null).executeTakeFirstOrThrow();
  return root.name;
}
