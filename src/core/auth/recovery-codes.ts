import { createHmac, randomBytes } from "node:crypto";
import { deleteRows, insertRows } from "../../store/bulk.ts";
import type { Ctx } from "../pipeline/context.ts";

/** Crockford's base32, without letters that look like digits. */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";
const codeCount = 10;

/** Returns a new code of 100 random bits, as in `h5k2q-09wtz-xc7rm-4d8pb`. */
function newRecoveryCode(): string {
  const text = [...randomBytes(20)].map((byte) => digits[byte % digits.length]).join("");
  return text.replace(/.{5}(?=.)/g, "$&-");
}

/** Returns the form in which a code is kept. A fast hash with the app's secret as its key is enough for 100 random bits. */
export function hashRecoveryCode(secret: string, code: string): string {
  const plain = code.toLowerCase().replaceAll("o", "0").replace(/[il]/g, "1");
  return createHmac("sha256", secret)
    .update(plain.replace(/[^0-9a-z]/g, ""))
    .digest("base64url");
}

/** Stores new recovery codes of a user in place of the old ones, and returns them; none in a dry run, where they would never work. */
export async function replaceRecoveryCodes({ db, dryRun }: Ctx, user: number, secret: string): Promise<string[]> {
  const codes = Array.from({ length: codeCount }, newRecoveryCode);
  await deleteRows(db, "recovery_codes", { user_id: user });
  const rows = codes.map((code) => ({ user_id: user, code_hash: hashRecoveryCode(secret, code) }));
  await insertRows(db, "recovery_codes", rows);
  return dryRun ? [] : codes;
}
