import type { Ctx } from "../pipeline/context.ts";

/** Records that users or units changed: updates their time of change and reports it to webhooks. */
export async function markChanged(ctx: Ctx, kind: "user" | "unit", ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await ctx.db.updateTable(`${kind}s`).set({ updated_at: ctx.now }).where("id", "in", ids).execute();
  for (const id of ids) ctx.changed(`${kind}.update`, id);
}
