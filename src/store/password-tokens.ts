import { upsertRow } from "./bulk.ts";
import type { Tx } from "./database.ts";

const tokenBytes = 32;

/** Returns the form in which a token that lets a user set a password is kept. */
export function hashPasswordToken(token: string): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(token).digest("base64url");
}

/** Creates the only valid token with which a user can set a password, and ends an earlier one. Times are Unix seconds. */
export async function replacePasswordToken(tx: Tx, user: number, expires_at: number): Promise<string> {
  const token = process.getBuiltinModule("node:crypto").randomBytes(tokenBytes).toString("base64url");
  await upsertRow(tx, "password_tokens", { user_id: user }, { token_hash: hashPasswordToken(token), expires_at });
  return token;
}
