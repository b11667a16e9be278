import { findRows, updateRow } from "../../store/bulk.ts";
import type { Ctx } from "../pipeline/context.ts";

/** Returns messages about users in a list who are not active. */
export async function recipientIssues(ctx: Ctx, ids: readonly number[]): Promise<string[]> {
  const rows = await findRows(ctx.db, "users", { id: ids }, ["id", "active", "deleted_at"]);
  const isActive = new Map(rows.filter((row) => row.deleted_at === null).map((row) => [row.id, row.active === 1]));
  const distinct = [...new Set(ids)];
  const unknown = distinct.filter((id) => !isActive.has(id));
  const inactive = distinct.filter((id) => isActive.get(id) === false);
  return [
    ...(unknown.length > 0 ? [`contains users that do not exist: ${unknown.join(", ")}`] : []),
    ...(inactive.length > 0 ? [`contains deactivated users: ${inactive.join(", ")}`] : []),
  ];
}

/** Returns a digest of a set of people that does not depend on their order. */
export function digestOf(people: Iterable<number>): Buffer {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const ids = [...new Set(people)].sort((a, b) => a - b);
  return createHash("sha256").update(ids.join(",")).digest();
}

export function peopleKey(people: Iterable<number>): string {
  return digestOf(people).toString("base64url");
}

/** Updates the stored key after somebody joined or left. */
export async function updatePeopleKey(ctx: Ctx, conversation: number): Promise<void> {
  const rows = await findRows(ctx.db, "conversation_participants", { conversation_id: conversation }, ["user_id"]);
  await updateRow(ctx.db, "conversations", conversation, { people_key: peopleKey(rows.map((row) => row.user_id)) });
}
