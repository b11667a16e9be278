import { randomBytes, randomUUID } from "node:crypto";
import type { Tx } from "../store/database.ts";
import { createSecretCipher, type SecretCipher } from "../store/secret-cipher.ts";
import { tokenKeyBytes } from "./instance.ts";
import { addMembership } from "./membership.ts";
import { nobody } from "./permissions.ts";
import { emailKey } from "./text-keys.ts";
import { addUnit } from "./unit-tree.ts";
import { indexUser } from "./users/search.ts";

export interface FirstAdministrator {
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  /** As `hashPassword` gives it; without one, a password is set later. */
  readonly passwordHash?: string;
}

interface NewInstance {
  readonly administrator: FirstAdministrator;
  readonly rootUnit: string;
  readonly now: number;
  /** Without it, secrets are kept as they are. */
  readonly secrets?: SecretCipher;
}

/** Reference of the root unit, so that imports and exports can name it. */
export const rootReference = "root";

/** Makes what every instance has: its identity, the root unit and the first administrator, whose ID it returns. */
export async function bootstrap(
  db: Tx,
  { administrator, rootUnit, now, secrets = createSecretCipher(undefined) }: NewInstance,
): Promise<number> {
  await createInstance(db, secrets, now);
  const root = await addUnit({ db, now }, null, { name: rootUnit, reference: rootReference });
  const { email, first_name, last_name, passwordHash = null } = administrator;
  const { id } = await db
    .insertInto("users")
    .values({
      email,
      email_key: emailKey(email),
      first_name,
      last_name,
      password_hash: passwordHash,
      admin: 1,
      token_version: 1,
      created_at: now,
      updated_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const ctx = { db, actor: nobody };
  await addMembership(ctx, { user: id, unit: root });
  await indexUser(ctx, id);
  return id;
}

async function createInstance(db: Tx, secrets: SecretCipher, now: number): Promise<void> {
  const issuer = `wcs:${randomUUID()}`;
  await db.insertInto("instance").values({ id: 1, issuer, token_key: "", created_at: now }).execute();
  const key = randomBytes(tokenKeyBytes).toString("base64url");
  const token_key = await secrets.seal(db, "instance.token_key", key);
  await db.updateTable("instance").set({ token_key }).execute();
}
