import { apiTokenPrefix } from "../../contract/api-token-prefix.ts";
import { BoundedMap } from "../../contract/bounded-map.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Database } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";

/** An API token as it authenticates a request. */
export interface ApiToken {
  readonly id: number;
  readonly userId: number;
  readonly scopes: readonly string[];
  /** Unix seconds; null when it does not expire. */
  readonly expires: number | null;
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

/** Returns true for a text with the form and the checksum of a token. Needs no database. */
export function isWellFormed(token: string): boolean {
  return form.test(token) && token.slice(-checksumDigits) === checksumOf(token.slice(0, -checksumDigits));
}

/**
 * Returns the form in which a token is kept. A fast hash is enough, because a token has 256 random bits and cannot be
 * guessed.
 */
export function hashApiToken(token: string): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(token).digest("base64url");
}

const checksumOf = (body: string) => base62(BigInt(process.getBuiltinModule("node:zlib").crc32(body)), checksumDigits);

function base62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest /= 62n) text = digits[Number(rest % 62n)] + text;
  return text;
}

const tokenRows = prepared((db, p: { hash: string }) =>
  db.selectFrom("api_tokens").select(["id", "user_id", "scopes", "expires_at"]).where("token_hash", "=", p.hash),
);

/** Seconds between two records of the use of a token. */
const usePrecision = 60;

/** Finds API tokens. Reads them for each request, so that a revoked one no longer works in any process. */
export class ApiTokens {
  readonly #database: Database;
  /** Unix seconds of the latest recorded use, by the ID of the token. */
  readonly #used = new BoundedMap<number, number>(10_000);

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the token. Throws `unauthenticated` when it is malformed, unknown or expired. */
  async verify(text: string, now: number): Promise<ApiToken> {
    const token = isWellFormed(text) ? await this.#find(hashApiToken(text)) : undefined;
    if (token === undefined) throw new ServiceError("unauthenticated", "The API token is invalid or was revoked.");
    if (token.expires !== null && token.expires <= now)
      throw new ServiceError("unauthenticated", "The API token has expired; create another one.");
    return token;
  }

  async #find(hash: string): Promise<ApiToken | undefined> {
    const [row] = await tokenRows(this.#database.reader, { hash });
    return (
      row && {
        id: row.id,
        userId: row.user_id,
        scopes: JSON.parse(row.scopes) as string[],
        expires: row.expires_at,
      }
    );
  }

  /** Records the use of a token, at most once per minute. A read does not fail because this cannot be written. */
  async recordUse({ id }: ApiToken, now: number): Promise<void> {
    const isDue = (last: number | undefined | null) => last == null || Math.abs(now - last) >= usePrecision;
    if (!isDue(this.#used.get(id))) return;
    this.#used.set(id, now);
    try {
      await this.#database.writeLocking(async (tx) => {
        const row = await tx.selectFrom("api_tokens").select("last_used_at").where("id", "=", id).executeTakeFirst();
        if (row === undefined || !isDue(row.last_used_at)) return;
        await tx.updateTable("api_tokens").set({ last_used_at: now }).where("id", "=", id).execute();
      });
    } catch {
      // Tried again after the same time as after a success, so that failing writes do not slow down every read.
    }
  }
}
