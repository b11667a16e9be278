import { type RawBuilder, sql } from "kysely";
import { type FieldIssues, invalid, ServiceError } from "../../contract/errors.ts";
import { type Cause, messageOf } from "../../contract/issue-messages.ts";
import type { Issues } from "../../contract/parse-input.ts";
import { isAmong } from "../../store/dialect.ts";
import type { Ctx } from "./context.ts";

export const hasIssues = (found: FieldIssues): boolean => Object.keys(found).length > 0;

/** Throws `validation_failed` when there are issues. */
export function requireNoIssues(found: FieldIssues): void {
  if (!hasIssues(found)) return;
  const { fields, issues } = describeIssues(found);
  throw invalid(fields, issues);
}

/** Returns the messages and the codes of issues. */
export function describeIssues(found: FieldIssues): Issues {
  const all = Object.entries(found);
  const textOf = (cause: Cause | string) => (typeof cause === "string" ? cause : messageOf(cause));
  const codeOf = (cause: Cause | string): Cause => (typeof cause === "string" ? { code: "invalid" } : cause);
  return {
    fields: Object.fromEntries(all.map(([field, causes]) => [field, causes.map(textOf)])),
    issues: all.flatMap(([field, causes]) => causes.map((cause) => ({ field, ...codeOf(cause) }))),
  };
}

const messages = {
  units: "contains units that do not exist",
  user_types: "contains user types that do not exist",
  users: "contains users that do not exist or are deactivated",
};

const nouns = { units: "unit", user_types: "user type", users: "user" };

/** Throws `conflict` when another row than `except` has one of the values. */
export async function requireFree(
  { db }: Ctx,
  table: "units" | "user_types",
  { name_key, reference }: { readonly name_key?: string; readonly reference?: string | null | undefined },
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

type Ids = number | readonly number[] | undefined;

/** An ID, or a list of them, in an input field. Those that are `known` are not checked. */
type References = readonly [field: string, table: keyof typeof nouns, ids: Ids, known?: readonly number[] | undefined];

/** Returns an error for each list with unknown IDs, by its field. */
export const referenceIssues = (ctx: Pick<Ctx, "db">, lists: readonly References[]): Promise<FieldIssues> =>
  unknownIssues(ctx, lists, (table) => ({
    says: messages[table],
    isKnown: table === "users" ? sql`active = 1` : sql`1 = 1`,
  }));

/** Returns an error for each filter by a thing that does not exist. Deleted users still have posts and audit entries. */
export function filterIssues(
  ctx: Ctx,
  filters: { readonly [T in keyof typeof nouns]?: Readonly<Record<string, Ids>> },
): Promise<FieldIssues> {
  const lists = (["units", "user_types", "users"] as const).flatMap((table) =>
    Object.entries(filters[table] ?? {}).map(([field, ids]) => [field, table, ids] as const),
  );
  return unknownIssues(ctx, lists, (table) => ({ says: `is not an existing ${nouns[table]}`, isKnown: sql`1 = 1` }));
}

async function unknownIssues(
  { db }: Pick<Ctx, "db">,
  lists: readonly References[],
  of: (table: keyof typeof nouns) => { readonly says: string; readonly isKnown: RawBuilder<unknown> },
): Promise<FieldIssues> {
  const issues: FieldIssues = {};
  for (const [field, table, given = [], before = []] of lists) {
    const ids = [...new Set([given].flat())].filter((id) => !before.includes(id));
    if (ids.length === 0) continue;
    const { says, isKnown } = of(table);
    const { rows } = await sql<{ id: number }>`select id from ${sql.table(table)}
      where ${isAmong("id", ids)} and ${isKnown}`.execute(db);
    const known = new Set(rows.map(({ id }) => id));
    const unknown = ids.filter((id) => !known.has(id));
    if (unknown.length > 0) issues[field] = [`${says}: ${unknown.join(", ")}`];
  }
  return issues;
}
