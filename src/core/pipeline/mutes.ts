import { type RawBuilder, type SqlBool, sql } from "kysely";
import { muteRules } from "../../contract/muterules.ts";
import type { RowOf } from "../../store/schema/schema.ts";

/** A mute rule as stored: its ID and its end, which is null for rules without one. */
type Mute = RowOf<"post_marks", "mute_rule" | "muted_until">;

/** Returns the columns that mute something by a rule from now on; without a rule, they unmute it. */
export function muteFrom(now: number, rule: number | null): Mute {
  const seconds = muteRules.find(({ id }) => id === rule)?.seconds ?? null;
  return { mute_rule: rule, muted_until: seconds === null ? null : now + seconds };
}

/** Returns the ID of the rule until it ends. */
export function currentRule({ mute_rule, muted_until }: Mute, now: number): number | null {
  return muted_until === null || muted_until > now ? mute_rule : null;
}

/** Returns the condition that the row with the alias `alias` has a rule that has not ended. */
export function muted(alias: string, now: number): RawBuilder<SqlBool> {
  const [rule, until] = [sql.ref(`${alias}.mute_rule`), sql.ref(`${alias}.muted_until`)];
  return sql<SqlBool>`(${rule} is not null and (${until} is null or ${until} > ${now}))`;
}
