import type { Kysely } from "kysely";
import { ServiceError } from "../contract/errors.ts";
import { locking } from "./dialect.ts";
import { prepared } from "./prepared.ts";
import type { Schema } from "./schema/schema.ts";

type Db = Kysely<Schema>;

const crypto = () => process.getBuiltinModule("node:crypto");

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const version = "wcs1";

/** Place of a stored secret, as in `webhooks.secret.3`: a ciphertext copied to another place cannot be decrypted there. */
export type SecretPlace =
  | "instance.token_key"
  | `settings.value.${string}`
  | `two_factors.secret.${number}`
  | `webhooks.${"secret" | "previous_secrets"}.${number}`;

/** Encrypts stored secrets when there is a key, else stores them in plain text. */
export interface SecretCipher {
  /** ID of the key; undefined when there is none. */
  readonly keyId: string | undefined;
  /** Returns the stored form. Throws `unavailable` when the database's secrets have got another key meanwhile. */
  seal(tx: Db, place: SecretPlace, secret: string): Promise<string>;
  /** Returns the secret in its plain form from the stored form, encrypted or not. */
  open(place: SecretPlace, stored: string): string;
}

/** Thrown when the secrets cannot be used with the given key, or without one. Only the hint, which stays on the machine, names keys. */
export class SecretKeyError extends ServiceError {
  constructor(message: string, toDo: string) {
    super("unavailable", message, { hint: `${toDo}; see wcs help environment.` });
  }
}

/** Parses a key: 32 bytes in hexadecimal, base64 or base64url. Returns undefined for any other text. */
export function parseSecretKey(text: string): Uint8Array | undefined {
  const trimmed = text.trim();
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return Buffer.from(trimmed, "hex");
  const key = Buffer.from(trimmed, "base64");
  return /^([\w-]{43}|[A-Za-z0-9+/]{43})=?$/.test(trimmed) && key.length === keyBytes ? key : undefined;
}

export const isSealed = (stored: string): boolean => stored.startsWith(`${version}.`);

/** Encrypts with AES-256-GCM as `wcs1.<key ID>.<nonce>.<ciphertext and tag>`, in base64url. */
export function createSecretCipher(key: Uint8Array | undefined): SecretCipher {
  const keyId = key && crypto().hash("sha256", key, "buffer").subarray(0, 8).toString("base64url");
  return {
    keyId,
    async seal(tx, place, secret) {
      await claimDatabase(tx, keyId);
      return key === undefined ? secret : [version, keyId, ...encrypt(key, place, secret)].join(".");
    },
    open(place, stored) {
      if (!isSealed(stored)) return stored;
      const [, sealedWith = "", nonce = "", sealed = ""] = stored.split(".");
      requireKey(sealedWith, keyId);
      // Without a key, requireKey has thrown.
      return decrypt(key!, place, { nonce: Buffer.from(nonce, "base64url"), sealed: Buffer.from(sealed, "base64url") });
    },
  };
}

function encrypt(key: Uint8Array, place: SecretPlace, secret: string): string[] {
  const nonce = crypto().randomBytes(nonceBytes);
  const cipher = crypto().createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return [nonce.toString("base64url"), sealed.toString("base64url")];
}

function decrypt(key: Uint8Array, place: SecretPlace, { nonce, sealed }: { nonce: Buffer; sealed: Buffer }): string {
  try {
    const decipher = crypto().createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(sealed.subarray(-tagBytes));
    return decipher.update(sealed.subarray(0, -tagBytes), undefined, "utf8") + decipher.final("utf8");
  } catch (cause) {
    throw new ServiceError("unavailable", `The secret ${place} is damaged or was copied from another place.`, {
      cause,
    });
  }
}

/** Throws unless secrets that were encrypted with one key can be decrypted with the other. */
export function requireKey(sealedWith: string, keyId: string | undefined): void {
  if (sealedWith === keyId) return;
  const set = `Set WCS_SECRET_KEY or WCS_SECRET_KEY_FILE to the key ${sealedWith}`;
  throw keyId === undefined
    ? new SecretKeyError("The secrets of the database are encrypted, and no key is set.", set)
    : new SecretKeyError("The secrets of the database are encrypted with another key.", `${set}, not ${keyId}`);
}

/** Prepared, so that on PostgreSQL it passes through the connections that requests share for reading. */
const storedKeyId = prepared((db) => db.selectFrom("instance").select("secret_key_id"));

interface Opened {
  readonly reader: Db;
  readonly secrets: SecretCipher;
}

/** Throws a `SecretKeyError` unless the database has no encrypted secrets, or has them with the key that it was opened with. */
export async function requireKnownKey({ reader, secrets }: Opened): Promise<void> {
  const [instance] = await storedKeyId(reader, {});
  if (instance?.secret_key_id) requireKey(instance.secret_key_id, secrets.keyId);
}

/** Records the key ID in the instance with the first encrypted secret. From then on, writing secrets requires the key. */
async function claimDatabase(tx: Db, keyId: string | undefined): Promise<void> {
  const query = tx.selectFrom("instance").select("secret_key_id");
  const instance = await locking(tx, query).executeTakeFirst();
  const known = instance?.secret_key_id ?? null;
  if (known !== null) requireKey(known, keyId);
  else if (keyId !== undefined) await tx.updateTable("instance").set({ secret_key_id: keyId }).execute();
}
