import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Ability } from "../../contract/operation.ts";
import { deleteRows, insertRow, insertRows, updateRow } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { flagValue, isAmong, listed } from "../../store/dialect.ts";
import { nested, rowsIn } from "../../store/nested-rows.ts";
import { prepared } from "../../store/prepared.ts";
import type { Actor } from "../pipeline/actor.ts";
import type { Ctx } from "../pipeline/context.ts";
import { onlyItem } from "../pipeline/only-item.ts";

export interface Audience {
  readonly everywhere: boolean;
  /** Each unit once. With falldown, the units below are included. */
  readonly units: readonly { readonly id: number; readonly falldown: boolean }[];
  /** Restricts the units to members with one of these types; an empty list restricts nothing. */
  readonly userTypes: readonly number[];
  /** Users who may read it regardless of their units and types. */
  readonly shares: readonly number[];
  /** The group whose members may read it. */
  readonly group: number | null;
}

/** The properties of a reader that the visibility rule needs, as values that a prepared query can take. */
export interface Reader extends Pick<Actor, "units" | "branch" | "types"> {
  readonly me: number;
  readonly everything: 0 | 1;
  /** Paths of the units in which, and below which, the reader has the ability to edit. */
  readonly reach: readonly string[];
}

/** Returns the actor as a reader of content that users with `ability` may edit. */
export function readerOf({ id, admin, grants, units, branch, types }: Actor, ability: Ability): Reader {
  const reach = grants.filter((grant) => grant.abilities.includes(ability)).map((grant) => grant.path);
  return { me: id, everything: admin ? 1 : 0, reach, units, branch, types };
}

/**
 * Returns the condition that the reader may read content. It is the only visibility rule: content is for those it is
 * addressed to and those who may edit it; personal content is for its author and the users it is shared with. This and
 * the following conditions expect the alias `a` for the audience.
 */
export function readable(db: Db, reader: Reader): RawBuilder<SqlBool> {
  // The reach of an editor decides more quickly than the audience.
  return sql<SqlBool>`((a.personal = 0 and ${reached(db, reader.reach)}) or ${addressed(reader)})`;
}

/**
 * Returns the condition that content is addressed to the reader: as author, by a share, by the group, or by unit and user
 * type. Everything that is not personal is addressed to administrators.
 */
export function addressed(reader: Omit<Reader, "reach">): RawBuilder<SqlBool> {
  const { me, everything, units, branch, types } = reader;
  const inUnits = sql`exists (select 1 from audience_units au where au.audience_id = a.id and (
    ${isAmong("au.unit_id", units)}
    or (au.falldown = 1 and ${isAmong("au.unit_id", branch)})))`;
  const inTypes = sql`(not exists (select 1 from audience_user_types t where t.audience_id = a.id)
    or exists (select 1 from audience_user_types t where t.audience_id = a.id
      and ${isAmong("t.user_type_id", types)}))`;
  return sql<SqlBool>`(a.author_id = ${me}
    or (a.personal = 0 and (${everything} = 1 or ((a.everywhere = 1 or ${inUnits}) and ${inTypes})))
    or exists (select 1 from audience_shares s where s.audience_id = a.id and s.user_id = ${me})
    or (a.group_id is not null and exists (
      select 1 from group_members g where g.group_id = a.group_id and g.user_id = ${me})))`;
}

/** Returns the condition that the owning unit is one of the units with the paths `reach` or below one of them. */
export function reached(db: Db, reach: readonly string[]): RawBuilder<SqlBool> {
  const paths = listed(db, "reach", reach);
  // Above all units is the root, as in /1/. This depends on no row, so that databases decide it once for a statement.
  const isEverywhere = sql`exists (select 1 from ${paths} where reach.value not like '/%/_%')`;
  // A join in this order ends at once when the list is empty.
  return sql<SqlBool>`((a.owner_unit_id is not null and ${isEverywhere}) or exists (select 1 from ${paths} cross join units o
    where o.id = a.owner_unit_id and substr(o.path, 1, length(reach.value)) = reach.value))`;
}

interface AudienceOwner {
  readonly ownerUnit: number | null;
  readonly personal: boolean;
}

/** Inserts an audience and returns its ID. All its references must exist; see `referenceIssues`. */
export async function addAudience({ db, actor }: Ctx, audience: Audience & AudienceOwner): Promise<number> {
  const personal = audience.personal ? 1 : 0;
  const id = await insertRow(db, "audiences", { ...columnsOf(audience), author_id: actor.id, personal });
  await insertLists(db, id, audience);
  return id;
}

/** Replaces an audience. Without `ownerUnit` and `personal`, those stay. */
export async function changeAudience({ db }: Ctx, id: number, audience: Audience & Partial<AudienceOwner>) {
  await updateRow(db, "audiences", id, { ...columnsOf(audience), personal: flagValue(audience.personal) });
  for (const table of ["audience_units", "audience_user_types", "audience_shares"] as const)
    await deleteRows(db, table, { audience_id: id });
  await insertLists(db, id, audience);
}

const columnsOf = ({ everywhere, group, ownerUnit }: Audience & Partial<AudienceOwner>) => ({
  everywhere: everywhere ? (1 as const) : (0 as const),
  group_id: group,
  owner_unit_id: ownerUnit,
});

async function insertLists(
  db: Db,
  audience_id: number,
  { units, userTypes, shares }: Pick<Audience, "units" | "userTypes" | "shares">,
): Promise<void> {
  const rows = units.map(({ id, falldown }) => ({ audience_id, unit_id: id, falldown: falldown ? 1 : 0 }));
  await insertRows(db, "audience_units", rows);
  const types = [...new Set(userTypes)].map((user_type_id) => ({ audience_id, user_type_id }));
  await insertRows(db, "audience_user_types", types);
  const users = [...new Set(shares)].map((user_id) => ({ audience_id, user_id }));
  await insertRows(db, "audience_shares", users);
}

/** Returns the users to share with. Sharing with oneself is ignored, unless somebody else did it `before`. */
export function sharesOf({ actor }: Ctx, shares: readonly number[], before: readonly number[] = []): readonly number[] {
  return shares.filter((id) => id !== actor.id || before.includes(id));
}

/** Returns true when a change of the user types admits further members of the same units. */
export const admitsMoreTypes = (before: readonly number[], after: readonly number[]): boolean =>
  before.length > 0 && (after.length === 0 || after.some((type) => !before.includes(type)));

/** Returns true when a post or an event that was not deleted is addressed to the user type. */
export async function hasContentFor(db: Db, userType: number): Promise<boolean> {
  const { rows } = await sql`select 1 from audience_user_types t
    left join posts p on p.audience_id = t.audience_id and p.deleted_at is null
    left join events e on e.audience_id = t.audience_id and e.deleted_at is null
    where t.user_type_id = ${userType} and (p.id is not null or e.id is not null) limit 1`.execute(db);
  return rows.length > 0;
}

/** Removes a user type from the audiences of deleted content, with their units: without types all members would be admitted. */
export async function forgetUserType(db: Db, userType: number): Promise<void> {
  const audiences = db.selectFrom("audience_user_types").select("audience_id").where("user_type_id", "=", userType);
  await db.deleteFrom("audience_units").where("audience_id", "in", audiences).execute();
  await db.updateTable("audiences").set({ everywhere: 0 }).where("id", "in", audiences).execute();
  await deleteRows(db, "audience_user_types", { user_type_id: userType });
}

/** Selects the lists of the audience, with names. */
export function audienceLists(db: Db) {
  const audience = sql.ref<number>("a.id");
  return [
    nested(
      db,
      db
        .selectFrom("audience_units as au")
        .innerJoin("units as n", "n.id", "au.unit_id")
        .select(["au.falldown", "n.id", "n.name", "n.level", "n.unit_type"])
        .where("au.audience_id", "=", audience),
    ).as("audience_units"),
    nested(
      db,
      db
        .selectFrom("audience_user_types as at")
        .innerJoin("user_types as t", "t.id", "at.user_type_id")
        .select(["t.id", "t.name"])
        .where("at.audience_id", "=", audience),
    ).as("audience_types"),
    nested(db, db.selectFrom("audience_shares as s").select("s.user_id").where("s.audience_id", "=", audience)).as(
      "audience_shares",
    ),
  ] as const;
}

const listsOfAudience = prepared((db, p: { id: number }) =>
  db.selectFrom("audiences as a").select(audienceLists(db)).where("a.id", "=", p.id),
);

export const listsIn = (row: Awaited<ReturnType<typeof listsOfAudience>>[number]) => ({
  units: rowsIn(row.audience_units, "id"),
  userTypes: rowsIn(row.audience_types, "id"),
  shares: rowsIn(row.audience_shares, "user_id").map(({ user_id }) => user_id),
});

export async function loadAudience(db: Db, id: number): Promise<ReturnType<typeof listsIn>> {
  return listsIn(onlyItem(await listsOfAudience(db, { id })));
}
