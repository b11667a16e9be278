import { randomBytes, randomUUID } from "node:crypto";
import { insertRow } from "../store/bulk.ts";
import type { Tx } from "../store/database.ts";
import { createSecretCipher, type SecretCipher } from "../store/secret-cipher.ts";
import { addMembership } from "./directory/memberships.ts";
import { emailKey, userNameKey } from "./directory/text-keys.ts";
import { addUnit } from "./directory/unit-tree.ts";
import { addSearchWords } from "./directory/user-words.ts";
import { nobody } from "./pipeline/actor.ts";
import { tokenKeyBytes } from "./pipeline/load-instance.ts";

interface FirstAdministrator {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  /** A hash made by `hashPassword`. Without it, the password is set later. */
  readonly passwordHash?: string;
}

interface NewInstance {
  readonly administrator: FirstAdministrator;
  readonly rootUnit: string;
  readonly now: number;
  /** Without it, secrets are stored unencrypted. */
  readonly secrets?: SecretCipher;
}

/** Creates the identity of an instance, its root unit and its first administrator, whose ID it returns. */
export async function bootstrap(
  db: Tx,
  { administrator, rootUnit, now, secrets = createSecretCipher(undefined) }: NewInstance,
): Promise<number> {
  await createInstance(db, secrets, now);
  // Imports and exports refer to the root by its reference.
  const root = await addUnit({ db, now }, null, { name: rootUnit, reference: "root" });
  const { email, first_name, last_name, passwordHash = null } = administrator;
  const id = await insertRow(db, "users", {
    email,
    email_key: emailKey(email),
    first_name,
    last_name,
    name_key: userNameKey(administrator),
    password_hash: passwordHash,
    admin: 1,
    token_version: 1,
    created_at: now,
    updated_at: now,
  });
  const ctx = { db, actor: nobody };
  await addMembership(ctx, { user: id, unit: root });
  await addSearchWords(ctx, { ...administrator, title: "", id });
  return id;
}

async function createInstance(db: Tx, secrets: SecretCipher, now: number): Promise<void> {
  await db.insertInto("instance").values({ id: 1, issuer: newIssuer(), token_key: "", created_at: now }).execute();
  const token_key = await secrets.seal(db, "instance.token_key", newTokenKey());
  await db.updateTable("instance").set({ token_key }).execute();
}

/** Returns a key of 256 random bits for signing tokens, in base64url. */
export const newTokenKey = (): string => randomBytes(tokenKeyBytes).toString("base64url");

export const newIssuer = (): string => `wcs:${randomUUID()}`;
