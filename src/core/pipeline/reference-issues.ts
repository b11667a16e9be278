import { sql } from "kysely";
import { type FieldErrors, ServiceError } from "../../contract/errors.ts";
import type { Db } from "../../store/database.ts";
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

async function knownIds(db: Db, table: string, ids: readonly number[], condition = sql``): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`select id from ${sql.table(table)}
    where ${isAmong("id", ids)} ${condition}`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Returns an error for each list with unknown IDs, by its field. */
export async function referenceIssues({ db }: Pick<Ctx, "db">, lists: readonly References[]): Promise<FieldErrors> {
  const issues: FieldErrors = {};
  for (const [field, table, ids] of lists) {
    const known = await knownIds(db, table, ids, table === "users" ? sql`and active = 1` : undefined);
    const unknown = [...new Set(ids)].filter((id) => !known.has(id));
    if (unknown.length > 0) issues[field] = [`${messages[table]}: ${unknown.join(", ")}`];
  }
  return issues;
}

/** The nouns for the rows of a table. */
const nouns = { units: "unit", user_types: "user type", users: "user" };

interface UniqueValues {
  readonly name_key?: string;
  readonly reference?: string | null | undefined;
}

/** Throws `conflict` when another row than `except` has one of the values. */
export async function requireFree(
  { db }: Ctx,
  table: "units" | "user_types",
  { name_key, reference }: UniqueValues,
  except = 0,
): Promise<void> {
  if (name_key === undefined && !reference) return;
  const taken = await db
    .selectFrom(table)
    .select(["id", "name_key"])
    .where("id", "<>", except)
    .where((eb) => eb.or([eb("name_key", "=", name_key ?? null), eb("reference", "=", reference || null)]))
    .executeTakeFirst();
  if (taken === undefined) return;
  const field = taken.name_key === name_key ? "name" : "reference";
  throw new ServiceError("conflict", `The ${field} is taken by ${nouns[table]} ${taken.id}.`);
}

/** An ID, or a list of them, by which a list is filtered. */
type Filter = readonly [field: string, table: keyof typeof nouns, ids: number | readonly number[] | undefined];

/** Returns an error for each filter by a thing that does not exist. Deleted users still have posts and audit entries. */
export async function filterIssues({ db }: Pick<Ctx, "db">, filters: readonly Filter[]): Promise<FieldErrors> {
  const issues: FieldErrors = {};
  for (const [field, table, given = []] of filters) {
    const ids = [given].flat();
    const known = await knownIds(db, table, ids);
    const unknown = [...new Set(ids)].filter((id) => !known.has(id));
    if (unknown.length > 0) issues[field] = [`is not an existing ${nouns[table]}: ${unknown.join(", ")}`];
  }
  return issues;
}
