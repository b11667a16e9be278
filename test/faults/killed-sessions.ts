import { sql } from "kysely";
import { expect } from "vitest";
import type { Instance } from "../support/instance.ts";

const mark = "killed";

/** Returns the target for a process that will be killed. PostgreSQL shows which connections are of such a process. */
export function targetToKill({ target }: Instance): string {
  return target.startsWith("postgres:") ? `${target}?application_name=${mark}` : target;
}

/** Resolves when PostgreSQL has ended the last transactions of killed processes, which may still be committed. */
export async function killedSessionsEnd({ target, database }: Instance): Promise<void> {
  if (!target.startsWith("postgres:")) return;
  const left = sql`select pid from pg_stat_activity where datname = current_database() and application_name = ${mark}`;
  await expect.poll(async () => (await left.execute(database.reader)).rows).toEqual([]);
}
