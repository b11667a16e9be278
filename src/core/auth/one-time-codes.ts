import { createHmac, randomBytes } from "node:crypto";
import { deleteRows, findRow, insertRows } from "../../store/bulk.ts";
import type { Ctx } from "../pipeline/context.ts";
import { queueNotices } from "../pipeline/queue-mail.ts";

/** Crockford's base32, without letters that look like digits. */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";
const codeCount = 10;

/** Returns a new code of 100 random bits, as in `h5k2q-09wtz-xc7rm-4d8pb`. */
function newRecoveryCode(): string {
  const text = [...randomBytes(20)].map((byte) => digits[byte % digits.length]).join("");
  return text.replace(/.{5}(?=.)/g, "$&-");
}

/** Returns the form in which a code is kept. A fast hash with the app's secret as its key is enough for 100 random bits. */
function hashRecoveryCode(secret: string, code: string): string {
  const plain = code.toLowerCase().replaceAll("o", "0").replace(/[il]/g, "1");
  return createHmac("sha256", secret)
    .update(plain.replace(/[^0-9a-z]/g, ""))
    .digest("base64url");
}

/** Replaces the recovery codes of a user and returns the new ones; none in a dry run, where they would never work. */
export async function replaceRecoveryCodes({ db, dryRun }: Ctx, user: number, secret: string): Promise<string[]> {
  const codes = Array.from({ length: codeCount }, newRecoveryCode);
  await deleteRows(db, "recovery_codes", { user_id: user });
  const rows = codes.map((code) => ({ user_id: user, code_hash: hashRecoveryCode(secret, code) }));
  await insertRows(db, "recovery_codes", rows);
  return dryRun ? [] : codes;
}

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

/** Uses a code up. Returns false when it was used meanwhile; only one of several simultaneous uses returns true. */
export async function useCode(ctx: Ctx, code: ValidCode): Promise<boolean> {
  const { db } = ctx;
  if ("hash" in code) {
    const { user, hash } = code;
    const [used] = await deleteRows(db, "recovery_codes", { user_id: user, code_hash: hash }, ["user_id"]);
    if (used) await queueNotices(ctx, [user], "recovery_code_used");
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
