import { findRows, updateRow } from "../../store/bulk.ts";
import type { Ctx } from "../pipeline/context.ts";

/** Returns a key of a set of people that does not depend on their order. */
export function peopleKey(people: Iterable<number>): string {
  const ids = [...new Set(people)].sort((a, b) => a - b);
  return process.getBuiltinModule("node:crypto").hash("sha256", ids.join(","), "base64url");
}

/** Updates the stored key after somebody joined or left. */
export async function updatePeopleKey(ctx: Ctx, conversation: number): Promise<void> {
  const rows = await findRows(ctx.db, "conversation_participants", { conversation_id: conversation }, ["user_id"]);
  await updateRow(ctx.db, "conversations", conversation, { people_key: peopleKey(rows.map((row) => row.user_id)) });
}
