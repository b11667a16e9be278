import { apiTokenPrefix } from "../../contract/api-token-prefix.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Db } from "../../store/database.ts";
import { hashToken } from "../../store/password-tokens.ts";
import { prepared } from "../../store/prepared.ts";

export interface ApiToken {
  readonly id: number;
  readonly userId: number;
  readonly scopes: readonly string[];
  /** Unix seconds; null when it does not expire. */
  readonly expires: number | null;
  /** Unix seconds; null when it was not used yet. */
  readonly lastUsed: number | null;
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomBytesInToken = 32;
/** Numbers of digits that hold 256 bits and a CRC-32. */
const randomDigits = 43;
const checksumDigits = 6;

const form = new RegExp(`^${apiTokenPrefix}[0-9A-Za-z]{${randomDigits + checksumDigits}}$`);

/** Returns a new random token: the prefix, 256 random bits and a checksum, in base62. */
export function newApiToken(): string {
  const random = process.getBuiltinModule("node:crypto").randomBytes(randomBytesInToken);
  const body = `${apiTokenPrefix}${base62(BigInt(`0x${random.toString("hex")}`), randomDigits)}`;
  return body + checksumOf(body);
}

const checksumOf = (body: string) => base62(BigInt(process.getBuiltinModule("node:zlib").crc32(body)), checksumDigits);

function base62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest /= 62n) text = digits[Number(rest % 62n)] + text;
  return text;
}

const tokenRows = prepared((db, p: { hash: string }) =>
  db
    .selectFrom("api_tokens")
    .select(["id", "user_id", "scopes", "expires_at", "last_used_at"])
    .where("token_hash", "=", p.hash),
);

/** Returns an API token, read for each request. Throws `unauthenticated` when it is malformed, unknown or expired. */
export async function verifyApiToken(db: Db, text: string, now: number): Promise<ApiToken> {
  const isWellFormed = form.test(text) && text.slice(-checksumDigits) === checksumOf(text.slice(0, -checksumDigits));
  const [row] = isWellFormed ? await tokenRows(db, { hash: hashToken(text) }) : [];
  if (row === undefined) throw new ServiceError("unauthenticated", "The API token is invalid or was revoked.");
  const { id, user_id: userId, scopes, expires_at: expires, last_used_at: lastUsed } = row;
  if (expires !== null && expires <= now)
    throw new ServiceError("unauthenticated", "The API token has expired; create another one.");
  return { id, userId, scopes: JSON.parse(scopes), expires, lastUsed };
}
