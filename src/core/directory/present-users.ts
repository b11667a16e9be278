import { sql } from "kysely";
import type { z } from "zod";
import { type Ability, abilities } from "../../contract/operation.ts";
import { allows } from "../../contract/token-scopes.ts";
import type { user as contract } from "../../contract/user-schemas.ts";
import type { Db } from "../../store/database.ts";
import { isPostgres, rowCount } from "../../store/dialect.ts";
import { type Nested, nested, rowsIn } from "../../store/nested-rows.ts";
import { prepared } from "../../store/prepared.ts";
import { filesOf, presentNestedFiles } from "../files/attached-files.ts";
import { type Actor, may } from "../pipeline/actor.ts";
import type { Ctx } from "../pipeline/context.ts";
import { markAbilities, presentAbilities } from "../pipeline/permissions.ts";
import { type GroupReader, groupReader } from "../visibility/group-visibility.ts";
import { groupsOf, presentGroupBriefs } from "./group-memberships.ts";
import { inOrderOf } from "./in-order-of.ts";
import { physicalUnitOf, physicalUnits, presentUnit, type ShownUnit, type UnitBrief } from "./physical-units.ts";
import { presentSession, type SessionRow, sessionRows } from "./present-sessions.ts";

export type User = z.infer<ReturnType<typeof contract>>;

/** Selects a row per user type of each membership, or a single row for a membership without user types. */
const membershipRows = (db: Db) =>
  db
    .selectFrom("memberships as m")
    .innerJoin("units as n", "n.id", "m.unit_id")
    .leftJoin("units as a", "a.id", "n.parent_id")
    .leftJoin("departments as d", "d.id", "m.department_id")
    .leftJoin("membership_user_types as mt", "mt.membership_id", "m.id")
    .leftJoin("user_types as t", "t.id", "mt.user_type_id")
    .select(["m.id", "m.user_id", "m.unit_id", "n.name", "n.level", "n.unit_type", "n.path", "n.parent_id"])
    .select(["a.name as parent_name", "a.level as parent_level", "a.unit_type as parent_type"])
    .select(["m.department_id", "d.name as department_name"])
    .select(["t.id as type_id", "t.name as type_name", "t.abilities"]);

const membershipsByUser = prepared((db, p: { ids: number[] }) => membershipRows(db).where("m.user_id", "in", p.ids));

interface UserReader extends GroupReader {
  readonly now: number;
}

const userRows = (db: Db, p: UserReader) =>
  db
    .selectFrom("users as u")
    .select(["u.id", "u.first_name", "u.last_name", "u.title", "u.active"])
    .select(["u.reference", "u.email", "u.phone", "u.birthday", "u.language", "u.timezone", "u.admin"])
    .select(["u.policy_accepted_at", "u.show_birthdays", "u.birthdays_optout", "u.provider", "u.two_factor_at"])
    .select(["u.meta_field_0", "u.meta_field_1", "u.meta_field_2", "u.meta_field_3", "u.meta_field_4"])
    .select(["u.created_at", "u.updated_at"])
    .select(filesOf(db, "user", "u.id").as("files"))
    .select(groupsOf(db, p, "u.id").as("groups"))
    .select(
      sql<Nested<SessionRow> | null>`case when u.id = ${p.me} then ${nested(db, sessionRows(db, p))} end`.as(
        "sessions",
      ),
    )
    .where("u.deleted_at", "is", null);

const usersById = prepared((db, p: UserReader & { ids: number[] }) => userRows(db, p).where("u.id", "in", p.ids));

const usersWithMemberships = prepared((db, p: UserReader & { ids: number[] }) =>
  userRows(db, p)
    .select(nested(db, membershipRows(db).where("m.user_id", "=", sql.ref<number>("u.id"))).as("memberships"))
    .where("u.id", "in", p.ids),
);

const activeUsersAfter = prepared((db, p: UserReader & { id: number; max: number }) =>
  userRows(db, p).where("u.active", "=", 1).where("u.id", ">", p.id).orderBy("u.id").limit(rowCount(p.max)),
);

/** Returns at most two active administrators who can sign in. */
export const activeAdministrators = prepared((db, _: object) =>
  db
    .selectFrom("users")
    .select("id")
    // A literal, because a plan for all values cannot use the index of administrators.
    .where("admin", "=", sql.lit(1))
    .where("active", "=", 1)
    // An expression, because SQLite would search the index of providers, where nearly all users have this one.
    .where(sql`coalesce(provider, '')`, "=", "local")
    .limit(2),
);

type UserRow = Awaited<ReturnType<typeof usersById>>[number];
type MembershipRow = Awaited<ReturnType<typeof membershipsByUser>>[number];

/** The API's representation of a membership, with the path of its unit. */
interface ShownMembership {
  readonly path: string;
  readonly shown: User["memberUnits"][number];
}

/** Returns full users in the order of `ids`, without unknown and deleted ones. Runs a constant number of queries. */
export async function presentUsers(ctx: Ctx, ids: number[]): Promise<User[]> {
  if (ids.length === 0) return [];
  const { rows, memberships } = await loadUsers(ctx, ids);
  return presentRows(ctx, inOrderOf(ids, rows), memberships);
}

/** Returns the first `max` active users with a greater ID, by a query that reads each row once. */
export async function presentUsersAfter(ctx: Ctx, id: number, max: number): Promise<User[]> {
  const rows = await activeUsersAfter(ctx.db, { ...groupReader(ctx.actor), now: ctx.now, id, max });
  const memberships = await membershipsByUser(ctx.db, { ids: rows.map((row) => row.id) });
  return presentRows(ctx, rows, membershipsOfEach(memberships));
}

type Memberships = ReadonlyMap<number, ShownMembership[]>;

async function presentRows(ctx: Ctx, rows: readonly UserRow[], memberships: Memberships): Promise<User[]> {
  const physical = await physicalUnits(ctx, [...memberships.values()].map(firstUnit));
  const last = rows.some(({ admin }) => admin === 1) ? await lastAdministrator(ctx) : undefined;
  const present = (row: UserRow) =>
    presentUser(ctx, row, { memberships: memberships.get(row.id) ?? [], physical, last });
  return rows.map(present);
}

/**
 * Returns users and their memberships. On SQLite, a second statement reads those of several users, because nested JSON
 * takes longer there; on PostgreSQL, a second round trip does.
 */
async function loadUsers({ db, actor, now }: Ctx, ids: number[]) {
  const asked = { ...groupReader(actor), ids, now };
  if (ids.length === 1 || isPostgres(db)) {
    const rows = await usersWithMemberships(db, asked);
    return { rows, memberships: new Map(rows.map((row) => [row.id, presentMemberships(row.memberships)])) };
  }
  const [rows, all] = await Promise.all([usersById(db, asked), membershipsByUser(db, { ids })]);
  return { rows, memberships: membershipsOfEach(all) };
}

function membershipsOfEach(all: readonly MembershipRow[]): Memberships {
  const memberships = new Map<number, ShownMembership[]>();
  for (const [id, each] of Map.groupBy(all, (row) => row.user_id)) memberships.set(id, presentMemberships(each));
  return memberships;
}

const firstUnit = ([first]: readonly ShownMembership[]): ShownUnit | undefined =>
  first && { path: first.path, unit: first.shown.unit };

/** Presents rows of `membershipRows` of one user, the first membership first. */
function presentMemberships(rows: Nested<MembershipRow>): ShownMembership[] {
  const memberships: ShownMembership[] = [];
  let id: number | undefined;
  let shown: ShownMembership["shown"] | undefined;
  for (const row of rowsIn(rows, "id", "type_id")) {
    if (shown === undefined || row.id !== id) {
      id = row.id;
      shown = presentMembership(row);
      memberships.push({ path: row.path, shown });
    }
    if (row.type_id === null) continue;
    shown.userTypes.push({ id: row.type_id, name: row.type_name ?? "", url: `/usertypes/${row.type_id}` });
    if (row.abilities !== "[]") markAbilities(shown.abilities, JSON.parse(row.abilities ?? "[]") as Ability[]);
  }
  return memberships;
}

/** Presents a membership without its user types and their abilities. */
function presentMembership(row: MembershipRow): User["memberUnits"][number] {
  return {
    unit: presentUnit(row),
    department: row.department_id === null ? null : { id: row.department_id, name: row.department_name ?? "" },
    userTypes: [],
    abilities: presentAbilities([]),
  };
}

/** Returns the only active administrator who can sign in; undefined when there are others. */
async function lastAdministrator({ db }: Ctx): Promise<number | undefined> {
  const [first, second] = await activeAdministrators(db, {});
  return second === undefined ? first?.id : undefined;
}

interface UserRelations {
  readonly memberships: readonly ShownMembership[];
  readonly physical: ReadonlyMap<number, UnitBrief>;
  readonly last: number | undefined;
}

/** `sessions.list` is not imported, since commands that show users do not need its contract. */
const maySeeSessions = ({ apiToken }: Ctx) =>
  apiToken === undefined || allows(apiToken.scopes, { name: "sessions.list", method: "GET" });

function accountFields(ctx: Ctx, row: UserRow) {
  return {
    specialties: [],
    all_integrations: [],
    devices: maySeeSessions(ctx) ? rowsIn(row.sessions ?? [], "id").map((session) => presentSession(ctx, session)) : [],
    provider: [row.provider],
    participant_type: "user" as const,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** Names each field, because spreading others into an object of this size makes it slow to write as JSON. */
function presentUser(ctx: Ctx, row: UserRow, { memberships, physical, last }: UserRelations): User {
  const [first] = memberships;
  const { unit = null, department = null } = first?.shown ?? {};
  const isPrivateShown = seesPrivateFields(ctx.actor, { id: row.id, path: first?.path ?? null });
  return {
    content_type: "user",
    id: row.id,
    name: `${row.first_name} ${row.last_name}`,
    first_name: row.first_name,
    last_name: row.last_name,
    title: row.title,
    active: row.active === 1,
    avatar: presentNestedFiles(ctx, row.files)[0] ?? null,
    url: `/users/${row.id}`,
    reference: row.reference,
    email: isPrivateShown ? row.email : null,
    phone: isPrivateShown ? row.phone : null,
    birthday: isPrivateShown ? row.birthday : null,
    language: row.language,
    timezone: row.timezone,
    admin: row.admin === 1,
    policy_accepted_at: row.policy_accepted_at,
    settings: { show_birthdays: row.show_birthdays, birthdays_optout: row.birthdays_optout === 1 },
    meta_field_0: row.meta_field_0,
    meta_field_1: row.meta_field_1,
    meta_field_2: row.meta_field_2,
    meta_field_3: row.meta_field_3,
    meta_field_4: row.meta_field_4,
    permissions: permissionsOn(ctx, row, memberships, last),
    unit,
    physicalUnit: physicalUnitOf(unit, physical),
    department,
    twoFactor: { enabled: row.two_factor_at !== null },
    userTypes: userTypesOf(memberships),
    memberUnits: memberships.map((each) => each.shown),
    memberGroups: presentGroupBriefs(row.groups),
    ...accountFields(ctx, row),
  };
}

/** Returns true when the actor may see the e-mail address, phone number and birthday of a user, whose first unit has that path. */
export const seesPrivateFields = (actor: Actor, user: { readonly id: number; readonly path: string | null }): boolean =>
  user.id === actor.id || may(actor, "user", user.path);

function permissionsOn(
  { actor }: Ctx,
  row: UserRow,
  memberships: readonly ShownMembership[],
  last: number | undefined,
): User["permissions"] {
  const edit = may(actor, "user", memberships[0]?.path ?? null) && (actor.admin || row.admin === 0);
  return { edit, delete: edit && row.id !== last && hasAllOf(actor, memberships) };
}

/** Returns true when the actor has every ability that the memberships grant, as users.delete requires. */
function hasAllOf(actor: Actor, memberships: readonly ShownMembership[]): boolean {
  return memberships.every(({ path, shown }) =>
    abilities.every((ability) => !shown.abilities[ability] || may(actor, ability, path)),
  );
}

/** Returns each user type of the memberships once. */
function userTypesOf(memberships: readonly ShownMembership[]): User["userTypes"] {
  const [first, second] = memberships;
  if (second === undefined) return first?.shown.userTypes ?? [];
  const all = memberships.flatMap(({ shown }) => shown.userTypes);
  return [...new Map(all.map((type) => [type.id, type])).values()];
}
