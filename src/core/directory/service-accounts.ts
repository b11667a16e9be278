import { deleteRows, findRow, findRows } from "../../store/bulk.ts";
import type { Ctx } from "../pipeline/context.ts";
import { requireNoIssues } from "../pipeline/field-issues.ts";

/** The provider of service accounts: users for machines, without e-mail address and password. */
export const serviceProvider = "service";

/** Ends the API tokens of a service account that gets more rights: their creators may not have them. */
export async function endServiceTokens({ db }: Ctx, user: number): Promise<void> {
  if (!(await findRow(db, "users", { id: user, provider: serviceProvider }, ["id"]))) return;
  await deleteRows(db, "api_tokens", { user_id: user });
}

/** Ends the API tokens of service accounts whose abilities pass from a unit to another one that they are not members of. */
export async function endMovedServiceTokens(ctx: Ctx, from: number, to: number): Promise<void> {
  const accounts = await ctx.db
    .selectFrom("api_tokens as t")
    .innerJoin("users as u", "u.id", "t.user_id")
    .innerJoin("memberships as m", "m.user_id", "u.id")
    .innerJoin("membership_user_types as mt", "mt.membership_id", "m.id")
    .innerJoin("user_types as y", "y.id", "mt.user_type_id")
    .select("u.id")
    .distinct()
    .where("u.provider", "=", serviceProvider)
    .where("m.unit_id", "=", from)
    .where("y.abilities", "<>", "[]")
    .where("u.id", "not in", (eb) => eb.selectFrom("memberships").select("user_id").where("unit_id", "=", to))
    .execute();
  for (const { id } of accounts) await endServiceTokens(ctx, id);
}

/** Throws `validation_failed` about the field when one of the users is a service account. */
export async function requirePeople({ db }: Ctx, ids: readonly number[], field: string): Promise<void> {
  const accounts = await findRows(db, "users", { id: ids, provider: serviceProvider }, ["id"]);
  if (accounts.length > 0) requireNoIssues({ [field]: [{ code: "service_account" }] });
}
