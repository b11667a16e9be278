import { sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { Database, Db } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";
import { serviceProvider } from "./service-accounts.ts";
import { emailKey } from "./text-keys.ts";

const users = (db: Db) =>
  db.selectFrom("users").select(["id", "active"]).where("deleted_at", "is", null).orderBy("id").limit(1);

const firstAdministrator = prepared((db) =>
  users(db).where("admin", "=", sql.lit(1)).where("active", "=", 1).where("provider", "<>", serviceProvider),
);

const userById = prepared((db, p: { id: number }) => users(db).where("id", "=", p.id));

const userByEmail = prepared((db, p: { key: string }) => users(db).where("email_key", "=", p.key));

/** Returns the ID of the user with that address or ID, by default of the first active administrator, who is a person. */
export async function resolveUser({ reader }: Pick<Database, "reader">, emailOrId?: string): Promise<number> {
  const [user] = await usersFor(reader, emailOrId);
  if (user === undefined) {
    throw new ServiceError(
      "not_found",
      emailOrId === undefined ? "The instance has no active administrator." : `There is no user ${emailOrId}.`,
    );
  }
  if (user.active === 0) throw new ServiceError("unauthenticated", `User ${emailOrId} is deactivated.`);
  return user.id;
}

function usersFor(db: Db, emailOrId?: string) {
  if (emailOrId === undefined) return firstAdministrator(db, {});
  // Longer numbers are no IDs, and PostgreSQL refuses them.
  return /^\d{1,15}$/.test(emailOrId)
    ? userById(db, { id: Number(emailOrId) })
    : userByEmail(db, { key: emailKey(emailOrId) });
}
