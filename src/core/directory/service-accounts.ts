import { invalid } from "../../contract/errors.ts";
import { messageOf } from "../../contract/issue-messages.ts";
import type { Ctx } from "../pipeline/context.ts";

/** The provider of service accounts: users for machines, without e-mail address and password. */
export const serviceProvider = "service";

/** Throws `validation_failed` about the field when one of the users is a service account. */
export async function requirePeople({ db }: Ctx, ids: readonly number[], field: string): Promise<void> {
  const accounts = await db
    .selectFrom("users")
    .select("id")
    .where("id", "in", ids)
    .where("provider", "=", serviceProvider)
    .limit(1)
    .execute();
  if (accounts.length === 0) return;
  throw invalid({ [field]: [messageOf({ code: "service_account" })] }, [{ field, code: "service_account" }]);
}
