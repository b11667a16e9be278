import { type SqlBool, sql } from "kysely";
import type { Ability } from "../../contract/operation.ts";
import { isAmong } from "../../store/dialect.ts";
import { findEventReceivers } from "../directory/write-events.ts";
import { inPortions } from "../pipeline/change-in-portions.ts";
import type { Ctx } from "../pipeline/context.ts";

/**
 * Reports the change of the holders of a user type in whose memberships no other type grants one of the changed abilities.
 * Writes no row for each: the next request of a holder reads the abilities from the user type.
 */
export async function reportHolders(ctx: Ctx, type: number, changed: readonly Ability[]): Promise<void> {
  if (changed.length === 0 || !(await findEventReceivers(ctx)).isReported("user.update")) return;
  const others = await ctx.db.selectFrom("user_types").select(["id", "abilities"]).where("id", "<>", type).execute();
  const granting = (ability: Ability) =>
    others.filter(({ abilities }) => (JSON.parse(abilities) as Ability[]).includes(ability)).map(({ id }) => id);
  const rivals = changed.map(granting);
  const isAlone = (types: readonly number[]) =>
    sql<SqlBool>`not exists (select 1 from membership_user_types other
      where other.membership_id = mt.membership_id and ${isAmong("other.user_type_id", types)})`;
  const held = { table: "membership_user_types", column: "user_type_id", owner: type, key: "membership_id" } as const;
  await inPortions(ctx.db, held, async (rows) => {
    const holders = await ctx.db
      .selectFrom("membership_user_types as mt")
      .innerJoin("memberships as m", "m.id", "mt.membership_id")
      .select("m.user_id")
      .distinct()
      .where(rows)
      .where((eb) => eb.or(rivals.map(isAlone)))
      .execute();
    for (const { user_id } of holders) ctx.changed("user.update", user_id);
  });
}
