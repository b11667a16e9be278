import { isAmong } from "../../store/dialect.ts";
import type { Ctx } from "../pipeline/context.ts";

/** Ends all sessions of users. */
export async function endSessions({ db }: Ctx, users: readonly number[]): Promise<void> {
  await db
    .deleteFrom("sessions")
    .where((eb) => isAmong(db, eb.ref("user_id"), users))
    .execute();
}
