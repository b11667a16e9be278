import { upsertRow } from "./bulk.ts";
import type { Tx } from "./database.ts";
import type { PasswordTokenKind } from "./schema/column-types.ts";

const tokenBytes = 32;

/** Returns the form in which a token is kept. A fast hash is enough, because a token has 256 random bits and cannot be guessed. */
export function hashToken(token: string): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", token, "base64url");
}

/**
 * Creates a token with which a user can set a password, and ends an earlier one of the same kind: a stranger who asks for
 * a reset must not end an invitation. Times are Unix seconds.
 */
export async function replacePasswordToken(
  tx: Tx,
  { user, kind, expires_at }: { readonly user: number; readonly kind: PasswordTokenKind; readonly expires_at: number },
): Promise<string> {
  const token = process.getBuiltinModule("node:crypto").randomBytes(tokenBytes).toString("base64url");
  await upsertRow(tx, "password_tokens", { user_id: user, kind }, { token_hash: hashToken(token), expires_at });
  return token;
}
