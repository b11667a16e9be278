import type { Ability } from "../../src/contract/operation.ts";
import type { Db } from "../../src/store/database.ts";
import type { RowOf } from "../../src/store/schema/schema.ts";
import type { Walk } from "./rights-walk.ts";

/** Columns whose change gives an account to somebody else, or ends it. */
const identity = ["active", "email", "reference", "provider", "password_hash"] as const;
type Identity = (typeof identity)[number];

/** Users, groups and who has which rights, as plain rows. */
export interface RightsState {
  readonly users: readonly (RowOf<"users", "id" | "admin" | "deleted_at" | Identity> & { path: string | null })[];
  readonly grants: readonly { user: number; path: string; abilities: readonly Ability[] }[];
  readonly groups: readonly { id: number; privacy: string }[];
  readonly members: readonly { group: number; user: number; role: string }[];
}

/** Reads the rights of all users of a walk. */
export async function readRights(db: Db, walk: Walk): Promise<RightsState> {
  const ids = walk.users.map(({ id }) => id);
  const users = await db
    .selectFrom("users as u")
    .leftJoin("units as n", "n.id", "u.unit_id")
    .select(["u.id", "u.admin", "u.deleted_at", "n.path", ...identity.map((column) => `u.${column}` as const)])
    .where("u.id", "in", ids)
    .execute();
  const grants = await db
    .selectFrom("memberships as m")
    .innerJoin("units as n", "n.id", "m.unit_id")
    .innerJoin("membership_user_types as mt", "mt.membership_id", "m.id")
    .innerJoin("user_types as t", "t.id", "mt.user_type_id")
    .select(["m.user_id as user", "n.path", "t.abilities"])
    .where("m.user_id", "in", ids)
    .execute();
  const groups = await db.selectFrom("groups").select(["id", "privacy"]).where("id", "in", walk.groups).execute();
  const members = await db
    .selectFrom("group_members")
    .select(["group_id as group", "user_id as user", "role"])
    .where("group_id", "in", walk.groups)
    .execute();
  return {
    users,
    grants: grants.map(({ abilities, ...grant }) => ({ ...grant, abilities: JSON.parse(abilities) })),
    groups,
    members,
  };
}

/** Returns the changes between two states that the actor had no right to make. */
export function forbiddenChanges(before: RightsState, after: RightsState, actor: number): string[] {
  return [...forbiddenInAccounts(before, after, actor), ...forbiddenInGroups(before, after, actor)];
}

/** Returns changes of accounts by an actor who lacks the ability `user` there, or a right that the account has. */
function forbiddenInAccounts(before: RightsState, after: RightsState, actor: number): string[] {
  const own = before.grants.filter(({ user }) => user === actor);
  const has = (ability: Ability, path: string | null) =>
    own.some((grant) => grant.abilities.includes(ability) && (path?.startsWith(grant.path) ?? false));
  const now = new Map(after.users.map((user) => [user.id, user]));
  return before.users.flatMap(({ id, path, admin, ...was }) => {
    const changed = identity.filter((column) => was[column] !== now.get(id)?.[column]);
    // Everyone may set their own password.
    if (changed.every((column) => column === "password_hash" && id === actor)) return [];
    const theirs = before.grants.filter(({ user }) => user === id);
    const lacking: string[] = theirs.flatMap((grant) => grant.abilities.filter((ability) => !has(ability, grant.path)));
    if (!has("user", path)) lacking.push("user");
    if (admin === 1) lacking.push("the rights of an administrator");
    return lacking.length === 0 ? [] : [`${changed} of user ${id} without ${lacking}`];
  });
}

/** Groups that were there are changed by their administrators and those with the ability groups; others join public ones. */
function forbiddenInGroups(before: RightsState, after: RightsState, actor: number): string[] {
  if (before.grants.some(({ user, abilities }) => user === actor && abilities.includes("groups"))) return [];
  const isDeleted = (user: number) => after.users.some(({ id, deleted_at }) => id === user && deleted_at !== null);
  return before.groups.flatMap(({ id, privacy }) => {
    const present = before.members.filter(({ group }) => group === id);
    const roles = new Map(present.map(({ user, role }) => [user, role]));
    if (roles.get(actor) === "administrator") return [];
    const next = after.members.filter(({ group }) => group === id);
    // When the last administrator is deleted, another member becomes one.
    const isInherited = present.some(({ user, role }) => role === "administrator" && isDeleted(user));
    const gained = next.filter(({ user, role }) => {
      const joins = user === actor && role === "member" && privacy === "public" && !roles.has(user);
      const inherits = role === "administrator" && roles.has(user) && isInherited;
      return roles.get(user) !== role && !joins && !inherits;
    });
    const left = present.filter(
      ({ user }) => user !== actor && !next.some((member) => member.user === user) && !isDeleted(user),
    );
    const now = after.groups.find((group) => group.id === id)?.privacy;
    return [
      ...gained.map(({ user, role }) => `user ${user} as ${role} of group ${id}`),
      ...left.map(({ user }) => `the removal of user ${user} from group ${id}`),
      ...(now === privacy ? [] : [`group ${id} as ${now}`]),
    ];
  });
}
