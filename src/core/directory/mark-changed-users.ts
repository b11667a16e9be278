import type { Ctx } from "../pipeline/context.ts";

/** Records that users changed: updates their time of change and reports it to webhooks. */
export async function markChangedUsers(ctx: Ctx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await ctx.db.updateTable("users").set({ updated_at: ctx.now }).where("id", "in", ids).execute();
  for (const id of ids) ctx.changed("user.update", id);
}
