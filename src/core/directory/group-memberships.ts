import { sql } from "kysely";
import { ServiceError } from "../../contract/errors.ts";
import type { groupRoles } from "../../contract/group-schemas.ts";
import { addToRows, deleteRows, insertRows, updateRows } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { type Nested, nested, rowsIn } from "../../store/nested-rows.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import type { Ctx } from "../pipeline/context.ts";
import { type GroupReader, isVisibleGroup } from "../visibility/group-visibility.ts";
import { markChanged } from "./mark-changed.ts";

export type Role = (typeof groupRoles)[number];

export async function addMember(ctx: Ctx, group: number, user: number, role: Role): Promise<void> {
  await insertRows(ctx.db, "group_members", [{ group_id: group, user_id: user, role, created_at: ctx.now }]);
  await addToRows(ctx.db, "groups", group, { member_count: 1 });
  await markChanged(ctx, "user", [user]);
}

/** Ends a membership. Throws `conflict` when the last administrator would leave other members behind. */
export async function removeMember(ctx: Ctx, group: number, user: number, role: Role): Promise<void> {
  if (role === "administrator" && (await successorOf(ctx, group, user)) === "member")
    throw lastAdministrator(group, user);
  await deleteRows(ctx.db, "group_members", { group_id: group, user_id: user });
  await addToRows(ctx.db, "groups", group, { member_count: -1 });
  await markChanged(ctx, "user", [user]);
}

export async function changeRole(ctx: Ctx, group: number, user: number, role: Role): Promise<void> {
  if (role === "member" && (await successorOf(ctx, group, user)) !== "administrator")
    throw lastAdministrator(group, user);
  await updateRows(ctx.db, "group_members", { group_id: group, user_id: user }, { role });
}

function lastAdministrator(group: number, user: number): ServiceError {
  const message = `User ${user} is the last active administrator of group ${group}; make another member administrator first.`;
  return new ServiceError("conflict", message);
}

/** Returns the highest role of another member who is active if the user is, else "member"; undefined without other members. */
async function successorOf({ db }: Ctx, group: number, user: number): Promise<Role | undefined> {
  const other = await db
    .selectFrom("group_members as m")
    .innerJoin("users as u", "u.id", "m.user_id")
    .innerJoin("users as own", (join) => join.on("own.id", "=", user))
    .select(["m.role", "u.active", "own.active as own_active"])
    .where("m.group_id", "=", group)
    .where("m.user_id", "<>", user)
    .orderBy("u.active", "desc")
    .orderBy("m.role")
    .limit(1)
    .executeTakeFirst();
  return other && other.active < other.own_active ? "member" : other?.role;
}

/** Removes a user from all groups. The active member who joined first succeeds the last active administrator. */
export async function leaveGroups({ db }: Ctx, user: number): Promise<void> {
  await sql`update group_members set role = 'administrator' where (group_id, user_id) in (
    select group_id, user_id from (
      select m.group_id, m.user_id,
        row_number() over (partition by m.group_id order by u.active desc, m.role, m.created_at, m.user_id) as place
      from group_members mine join group_members m on m.group_id = mine.group_id and m.user_id <> mine.user_id
      join users u on u.id = m.user_id
      where mine.user_id = ${user} and mine.role = 'administrator'
    ) others where place = 1)`.execute(db);
  const left = await deleteRows(db, "group_members", { user_id: user }, ["group_id"]);
  const groups = left.map((row) => row.group_id);
  await addToRows(db, "groups", groups, { member_count: -1 });
}

/** Returns the groups of a user that the reader may see, as a column of a query in which `id` is the ID of the user. */
export function groupsOf(db: Db, reader: GroupReader, id: string) {
  return nested(
    db,
    db
      .selectFrom("group_members as gm")
      .innerJoin("groups as g", "g.id", "gm.group_id")
      .select(["g.id", "g.name", "g.name_key"])
      .where("gm.user_id", "=", sql.ref<number>(id))
      .where(isVisibleGroup("g", reader)),
  );
}

export const presentGroupBriefs = (groups: Nested<RowOf<"groups", "id" | "name" | "name_key">>) =>
  rowsIn(groups, "name_key", "id").map(({ id, name }) => ({ id, name, url: `/groups/${id}` }));
