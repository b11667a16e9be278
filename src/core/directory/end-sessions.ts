import type { Ctx } from "../pipeline/context.ts";

/** Ends all sessions of users. */
export async function endSessions({ db }: Ctx, users: readonly number[]): Promise<void> {
  await db.deleteFrom("sessions").where("user_id", "in", users).execute();
}
