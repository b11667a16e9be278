import { invalid } from "../../contract/errors.ts";
import { isAmong } from "../../store/dialect.ts";
import type { Ctx } from "../context.ts";

/** Checks that the users a field names are active and named once. `validation_failed` says which are not. */
export async function requireActiveUsers(ctx: Ctx, field: string, ids: readonly number[]): Promise<void> {
  const repeated = ids.filter((id, at) => ids.indexOf(id) !== at);
  const rows = await ctx.db
    .selectFrom("users")
    .select(["id", "active", "deleted_at"])
    .where((eb) => isAmong(ctx.db, eb.ref("id"), ids))
    .execute();
  const known = new Map(rows.filter((row) => row.deleted_at === null).map((row) => [row.id, row.active === 1]));
  const problems = [
    told("names somebody more than once", repeated),
    told(
      "name no users",
      ids.filter((id) => !known.has(id)),
    ),
    told(
      "name users who are not active",
      ids.filter((id) => known.get(id) === false),
    ),
  ];
  const sentences = problems.filter((problem) => problem !== undefined);
  if (sentences.length > 0) throw invalid({ [field]: sentences });
}

function told(problem: string, ids: readonly number[]): string | undefined {
  return ids.length === 0 ? undefined : `${problem}: ${[...new Set(ids)].join(", ")}`;
}

/** A digest of a set of people, the same in whatever order they come. */
export function digestOf(people: Iterable<number>): Buffer {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const ids = [...new Set(people)].sort((a, b) => a - b);
  return createHash("sha256").update(ids.join(",")).digest();
}

/** As it stands in `people_key`. */
export function peopleKey(people: Iterable<number>): string {
  return digestOf(people).toString("base64url");
}

/** Keeps the key right after somebody joined or left. */
export async function keepPeopleKey(ctx: Ctx, conversation: number): Promise<void> {
  const rows = await ctx.db
    .selectFrom("conversation_participants")
    .select("user_id")
    .where("conversation_id", "=", conversation)
    .execute();
  await ctx.db
    .updateTable("conversations")
    .set({ people_key: peopleKey(rows.map((row) => row.user_id)) })
    .where("id", "=", conversation)
    .execute();
}
