import type { Ctx } from "../pipeline/context.ts";

/** Ends all sessions of a user. */
export async function endSessions({ db }: Ctx, user: number): Promise<void> {
  await db.deleteFrom("sessions").where("user_id", "=", user).execute();
}
