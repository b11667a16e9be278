import { sql } from "kysely";
import type { Database } from "../database.ts";

/** Returns the first corruption that SQLite finds in the file without comparing its indexes. */
export async function findDamage({ reader }: Database): Promise<string | undefined> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(reader);
  const [found] = rows;
  return found === undefined || found.quick_check === "ok" ? undefined : firstDamage(found.quick_check);
}

/** Returns the first thing that SQLite says about damage, without the heading above it. */
export function firstDamage(said: string): string {
  const lines = said.split("\n").map((line) => line.trim());
  return lines.find((line) => line !== "" && !line.startsWith("***")) ?? said;
}
