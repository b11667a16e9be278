import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { FieldIssues } from "../../contract/errors.ts";
import { type Actor, may } from "../pipeline/actor.ts";
import type { Ctx } from "../pipeline/context.ts";

export function mayManageGroups(actor: Actor): boolean {
  return may(actor, "groups");
}

/** Describes which groups the actor may see, as plain values that can be parameters of a prepared query. */
export interface GroupReader {
  readonly me: number;
  readonly allGroups: 0 | 1;
}

export function groupReader(actor: Actor): GroupReader {
  return { me: actor.id, allGroups: mayManageGroups(actor) ? 1 : 0 };
}

/** Returns the only rule for who may see a group `g`: everybody if it is public, otherwise its members. */
export function isVisibleGroup(g: string, { me, allGroups }: GroupReader): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.ref(`${g}.privacy`)} = 'public' or ${allGroups} = 1 or exists (
    select 1 from group_members own where own.group_id = ${sql.ref(`${g}.id`)} and own.user_id = ${me}))`;
}

export async function groupIssues({ db, actor }: Ctx, group: number | undefined): Promise<FieldIssues> {
  if (group === undefined) return {};
  const found = await db
    .selectFrom("groups as g")
    .select("g.id")
    .where("g.id", "=", group)
    .where(isVisibleGroup("g", groupReader(actor)))
    .executeTakeFirst();
  return found === undefined ? { group: [`is not an existing group: ${group}`] } : {};
}
