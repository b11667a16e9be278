import { sql } from "kysely";
import type { Database } from "../database.ts";

/**
 * Returns the first corruption that SQLite finds in the file without comparing its indexes; undefined when there is none.
 */
export async function findDamage({ reader }: Database): Promise<string | undefined> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(reader);
  const [found] = rows;
  return found === undefined || found.quick_check === "ok" ? undefined : found.quick_check.replace(/\s+/g, " ");
}
