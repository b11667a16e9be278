import { deleteRows, findRow } from "../../store/bulk.ts";
import type { Ctx } from "../pipeline/context.ts";
import { queueNotice } from "../pipeline/queue-mail.ts";
import { hashRecoveryCode } from "./recovery-codes.ts";

/** A code that is right and was not used: of the authenticator app, with its step, or a recovery code. */
export type ValidCode =
  | { readonly user: number; readonly stored: string; readonly step: number }
  | { readonly user: number; readonly hash: string };

/** Returns the stored second factor of a user, and its secret in plain form. */
export async function readTwoFactor({ db, secrets }: Ctx, user: number) {
  const row = await db.selectFrom("two_factors").selectAll().where("user_id", "=", user).executeTakeFirst();
  return row && { ...row, plain: secrets.open(`two_factors.secret.${user}`, row.secret) };
}

/** Returns the step of a code of the authenticator app; undefined for a wrong code. */
export async function findStep({ now }: Ctx, secret: string, code: string): Promise<number | undefined> {
  const { findTotpStep } = await import("./totp.ts");
  return findTotpStep(secret, code.replace(/[\s-]/g, ""), now);
}

/** Returns the code if it is right and was not used. `useCode` has to use it up before it counts. */
export async function findCode(ctx: Ctx, user: number, typed: string): Promise<ValidCode | undefined> {
  const factor = await readTwoFactor(ctx, user);
  if (factor === undefined) return undefined;
  const step = await findStep(ctx, factor.plain, typed);
  if (step !== undefined) return step > factor.last_step ? { user, stored: factor.secret, step } : undefined;
  const hash = hashRecoveryCode(factor.plain, typed);
  const row = await findRow(ctx.db, "recovery_codes", { user_id: user, code_hash: hash }, ["user_id"]);
  return row && { user, hash };
}

/** Uses a code up. Returns false when it was used meanwhile: of several uses at the same moment, one gets true. */
export async function useCode(ctx: Ctx, code: ValidCode): Promise<boolean> {
  const { db } = ctx;
  if ("hash" in code) {
    const { user, hash } = code;
    const [used] = await deleteRows(db, "recovery_codes", { user_id: user, code_hash: hash }, ["user_id"]);
    if (used) await queueNotice(ctx, user, "recovery_code_used");
    return used !== undefined;
  }
  const { numUpdatedRows } = await db
    .updateTable("two_factors")
    .set({ last_step: code.step })
    .where("user_id", "=", code.user)
    .where("secret", "=", code.stored)
    .where("last_step", "<", code.step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
