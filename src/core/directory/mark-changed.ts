import type { Ctx } from "../pipeline/context.ts";
import { inTurns } from "../pipeline/event-loop-turns.ts";

/** Rows that a statement changes, for up to 50 ms, when no other request can run on SQLite. */
const portion = 4000;

/** Records that users or units changed: updates their time of change and reports it to webhooks. */
export async function markChanged(ctx: Ctx, kind: "user" | "unit", ids: readonly number[]): Promise<void> {
  for await (const some of inTurns(ids, portion)) {
    await ctx.db.updateTable(`${kind}s`).set({ updated_at: ctx.now }).where("id", "in", some).execute();
    for (const id of some) ctx.changed(`${kind}.update`, id);
  }
}
