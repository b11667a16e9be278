import { ServiceError } from "../../contract/errors.ts";
import type { Database } from "../../store/database.ts";
import { serviceProvider } from "./service-accounts.ts";
import { emailKey } from "./text-keys.ts";

/**
 * Returns the ID of the user with that e-mail address or ID, by default of the first active administrator, who is a person. Throws
 * `unauthenticated` when the user is deactivated.
 */
export async function resolveUser({ reader }: Pick<Database, "reader">, emailOrId?: string): Promise<number> {
  let query = reader
    .selectFrom("users")
    .select(["id", "active"])
    .where("deleted_at", "is", null)
    .orderBy("id")
    .limit(1);
  if (emailOrId === undefined)
    query = query.where("admin", "=", 1).where("active", "=", 1).where("provider", "<>", serviceProvider);
  else if (/^\d+$/.test(emailOrId)) query = query.where("id", "=", Number(emailOrId));
  else query = query.where("email_key", "=", emailKey(emailOrId));
  const user = await query.executeTakeFirst();
  if (user === undefined) {
    throw new ServiceError(
      "not_found",
      emailOrId === undefined ? "The instance has no active administrator." : `There is no user ${emailOrId}.`,
    );
  }
  if (user.active === 0) throw new ServiceError("unauthenticated", `User ${emailOrId} is deactivated.`);
  return user.id;
}
