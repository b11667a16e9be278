import { deleteRows } from "../../store/bulk.ts";
import type { Ctx } from "../pipeline/context.ts";
import { forgetFailures } from "../pipeline/rate-limits.ts";

/** Deletes the second factor of a user, also one that is being set up. Returns true when the user signed in with it. */
export async function removeTwoFactor(ctx: Ctx, user: number): Promise<boolean> {
  const { db } = ctx;
  await deleteRows(db, "recovery_codes", { user_id: user });
  await deleteRows(db, "two_factors", { user_id: user });
  await forgetFailures(ctx, user, "one_time_code");
  const { numUpdatedRows } = await db
    .updateTable("users")
    .set({ two_factor_at: null })
    .where("id", "=", user)
    .where("two_factor_at", "is not", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
