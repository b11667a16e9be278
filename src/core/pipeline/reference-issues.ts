import { sql } from "kysely";
import type { FieldErrors } from "../../contract/errors.ts";
import { isAmong } from "../../store/dialect.ts";
import type { Ctx } from "./context.ts";

/** Messages about unknown IDs, by the table of the IDs. */
const messages = {
  units: "contains units that do not exist",
  user_types: "contains user types that do not exist",
  users: "contains users that do not exist or are deactivated",
};

/** A list of IDs in an input field. */
type References = readonly [field: string, table: keyof typeof messages, ids: readonly number[]];

/** Returns an error for each list with unknown IDs, by its field. */
export async function referenceIssues({ db }: Pick<Ctx, "db">, lists: readonly References[]): Promise<FieldErrors> {
  const issues: FieldErrors = {};
  for (const [field, table, ids] of lists) {
    if (ids.length === 0) continue;
    const { rows } = await sql<{ id: number }>`select id from ${sql.table(table)}
      where ${isAmong(db, sql.ref<number>("id"), ids)} ${table === "users" ? sql`and active = 1` : sql``}`.execute(db);
    const known = new Set(rows.map(({ id }) => id));
    const unknown = [...new Set(ids)].filter((id) => !known.has(id));
    if (unknown.length > 0) issues[field] = [`${messages[table]}: ${unknown.join(", ")}`];
  }
  return issues;
}
