import { sql } from "kysely";
import type { Database } from "./database.ts";

/** What SQLite finds wrong with a file when it looks through it, without comparing its indexes; undefined when all is well. */
export async function damage({ reader }: Database): Promise<string | undefined> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(reader);
  const [found] = rows;
  return found === undefined || found.quick_check === "ok" ? undefined : found.quick_check.replace(/\s+/g, " ");
}
