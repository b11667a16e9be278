import { ServiceError } from "../../../../contract/errors.ts";
import { isServiceAccount } from "../../../../contract/user-schemas.ts";
import { users } from "../../../../contract/users.ts";
import { walkItems } from "../../../kit/walk-list.ts";
import type { Path } from "../file/file-issues.ts";
import type { FileUsers } from "../file/organisation-entries.ts";
import type { OrganisationEntry } from "../file/organisation-schema.ts";
import { createDiskList } from "../file/scratch-database.ts";
import type { Task } from "./change.ts";
import { completeEntry } from "./complete-entry.ts";
import { type CurrentUser, compare, type Labels, userEntry } from "./current-entries.ts";
import { compareEntry, noSuch, type Planning, removal } from "./plan-context.ts";
import type { UnitPlan } from "./plan-units.ts";
import type { UserTypePlan } from "./plan-usertypes.ts";

interface UserPlanning extends Planning {
  readonly units: UnitPlan;
  readonly userTypes: UserTypePlan;
  readonly labels: Labels;
}

type UserEntry = OrganisationEntry<"users">;

/** Plans the tasks for users, and counts the active people. The tasks are on disk, because a file may change any number of users, who are not kept in memory either. */
export async function planUsers(planning: UserPlanning) {
  const file = planning.organisation.users;
  if (file !== undefined) return planEntries(file, planning);
  const holders = createHolderChecks(planning);
  if (planning.userTypes.pruned.size > 0)
    for await (const user of walkUsers(planning)) holders.watch(user, userEntry(user, planning.labels));
  holders.refuse();
  return { tasks: createDiskList<Task<"users">>(planning.scratch, "tasks"), active: 0 };
}

const walkUsers = ({ caller }: Planning) => walkItems(caller, users.list, { inactive: true });

async function planEntries(file: FileUsers, planning: UserPlanning) {
  const { prune, issues } = planning;
  const tasks = createDiskList<Task<"users">>(planning.scratch, "tasks");
  const holders = createHolderChecks(planning);
  const me = prune ? await planning.caller.call(users.current, {}) : undefined;
  /** The ID of the user of each entry; 0 when there is none. */
  const userIds = new Float64Array(file.count);
  const accounts = createAccountChecks(planning);
  let watched = 0;
  let active = 0;
  for await (const user of walkUsers(planning)) {
    if (++watched % 500 === 0) planning.watch(watched);
    if (user.active && !isServiceAccount(user)) active += 1;
    const found = file.find(user);
    if (found === undefined) {
      const isPruned = prune && user.active && user.id !== me?.id && !isServiceAccount(user);
      accounts.watch(user, { ...user, active: user.active && !isPruned });
      if (!prune) continue;
      const entry = userEntry(user, planning.labels);
      holders.watch(user, entry);
      if (isPruned) requireEdit(user.permissions.edit, user);
      if (isPruned) tasks.add(file.count + watched, removal("users", user.id, entry));
      continue;
    }
    const { at, entry } = found;
    if (!user.active && entry.active === undefined) planning.deactivated.add(user.id);
    const { task, after } = compareUser(user, entry, at, planning);
    holders.watch(user, after);
    accounts.watch(user, after, at);
    if (userIds[at]) issues.add(["users", at, "email"], `belongs to two users: ${userIds[at]} and ${user.id}`);
    else if (task) tasks.add(at, task);
    userIds[at] = user.id;
  }
  holders.refuse();
  for (const { at, entry } of Iterator.from(file).filter((each) => !userIds[each.at])) {
    accounts.watchNew(entry);
    tasks.add(at, newUser(entry, at, planning));
  }
  accounts.refuse();
  return { tasks, active };
}

function compareUser(user: CurrentUser, given: UserEntry, at: number, planning: UserPlanning) {
  // Callers who may not change a user cannot see the address either.
  requireEdit(user.email !== null, user);
  const existing = { id: user.id, entry: userEntry(user, planning.labels) };
  const entry = planning.organisation.complete ? completeEntry("users", given, existing.entry) : given;
  const named = resolveEntry(entry, existing.entry, at, planning);
  const task = compareEntry("users", named, existing, at);
  if (task) {
    requireEdit(user.permissions.edit, user);
    checkUnitLabels(user, task.after, entry, at, planning);
  }
  return { task, after: task?.after ?? existing.entry };
}

function requireEdit(may: boolean, { id, name }: CurrentUser): void {
  if (may) return;
  throw new ServiceError("forbidden", `You cannot change user ${id} (${name}); nothing was changed.`, {
    hint: "You need the ability user over all users that change.",
  });
}

/** Adds an issue for a unit of the user without a reference: it has no label, so a file cannot describe memberships of it. */
function checkUnitLabels(
  user: CurrentUser,
  after: UserEntry,
  entry: UserEntry,
  at: number,
  { issues, snapshot }: Planning,
) {
  const further = entry.memberships ? user.memberUnits.slice(1) : [];
  const touched = after.unit === "" ? user.memberUnits : further;
  const nameless = touched.find(({ unit }) => !snapshot.unitById.get(unit.id)?.reference);
  if (nameless === undefined) return;
  const { id, name } = nameless.unit;
  const what = `is a member of unit ${id} (${name}), which has no reference`;
  issues.add(["users", at], `${what}; run wcs units update ${id} --reference REF`);
}

function newUser(entry: UserEntry, at: number, planning: UserPlanning): Task<"users"> {
  for (const field of ["first_name", "last_name", "email", "unit"] as const) {
    if (entry[field] !== undefined) continue;
    planning.issues.require(["users", at, field], "because the user does not exist yet");
  }
  const task = compareEntry("users", resolveEntry(entry, undefined, at, planning), undefined, at);
  // Only an entry that exists already may need no task.
  return task!;
}

/** Returns the entry in the form for comparison; undefined when it refers to missing things. */
function resolveEntry(entry: UserEntry, before: UserEntry | undefined, at: number, planning: UserPlanning): UserEntry {
  const { memberships, ...fields } = entry;
  const first = resolveMembership({ unit: before?.unit, ...fields }, ["users", at], planning);
  const further = memberships?.map((each, place) => {
    const path = ["users", at, "memberships", place];
    return { ...each, department: each.department ?? null, ...resolveMembership(each, path, planning) };
  });
  checkUnits(entry, at, planning);
  const unit = entry.unit ?? before?.unit;
  const kept = (further ?? before?.memberships ?? []).filter((each) => each.unit !== unit);
  return {
    ...fields,
    ...first,
    // A user who moves to another unit leaves the department.
    ...(before && entry.unit !== undefined && entry.unit !== before.unit && { department: entry.department ?? null }),
    memberships: kept
      .map((each) => ({ ...each, user_types: each.user_types ?? [] }))
      .toSorted((a, b) => compare(a.unit, b.unit)),
  };
}

function checkUnits({ unit, memberships = [] }: UserEntry, at: number, { issues }: Planning): void {
  const seen = new Set([unit]);
  for (const [place, further] of memberships.entries()) {
    const path = ["users", at, "memberships", place, "unit"];
    if (seen.has(further.unit)) issues.add(path, `is already a unit of the user: ${further.unit}`);
    seen.add(further.unit);
  }
}

/** Returns the labels that user types will have, and adds an issue for each missing type. */
function resolveMembership(
  { unit, user_types, department }: Pick<UserEntry, "unit" | "user_types" | "department">,
  path: Path,
  { issues, units, userTypes }: UserPlanning,
): { user_types?: string[] } {
  const known = unit === undefined || unit === "" || units.has(unit);
  if (!known) issues.add([...path, "unit"], noSuch("unit", unit, units.references()));
  const departments = units.departmentsOf(unit ?? "");
  if (known && department && unit && !departments.includes(department)) {
    issues.add([...path, "department"], noSuch(`department of ${unit}`, department, departments));
  }
  if (user_types === undefined) return {};
  const found = user_types.map((label, at) => {
    const type = userTypes.find(label);
    if (type === undefined) issues.add([...path, "user_types", at], noSuch("user type", label, userTypes.labels()));
    return type ?? label;
  });
  return { user_types: [...new Set(found)].sort() };
}

/** Adds an issue for each user type that cannot be deleted because users still hold it. */
function createHolderChecks({ issues, userTypes }: UserPlanning) {
  const holders = new Map<string, { count: number; first: string }>();
  return {
    watch({ id, name }: CurrentUser, { user_types = [], memberships = [], reference, email }: UserEntry): void {
      if (userTypes.pruned.size === 0) return;
      const labels = new Set([...user_types, ...memberships.flatMap((each) => each.user_types ?? [])]);
      for (const label of labels) {
        if (!userTypes.pruned.has(label)) continue;
        const before = holders.get(label) ?? { count: 0, first: reference ?? (email || `${id} (${name})`) };
        holders.set(label, { ...before, count: before.count + 1 });
      }
    },
    refuse(): void {
      for (const [label, { count, first }] of holders) {
        const holding = count > 1 ? `${count} users, such as ${first},` : `user ${first}`;
        issues.add(["usertypes"], `lacks ${label}, which ${holding} will still hold; keep it, or take it away`);
      }
    },
  };
}

interface Account extends Partial<Pick<CurrentUser, "email" | "admin" | "active">> {
  readonly provider?: string | readonly string[] | undefined;
}

/** Adds an issue for each address that would belong to two users, and when no active administrator who can sign in would be left. */
function createAccountChecks({ organisation, issues }: Planning) {
  // Service accounts and users of another provider cannot sign in.
  const isAdministrator = ({ admin, active, provider = "local" }: Account) =>
    admin === true && active !== false && [provider].flat().includes("local");
  let isAnyLeft = false;
  let firstLost: number | undefined;
  return {
    /** Checks an existing user as it will be; `at` is the index of its entry in the file. */
    watch(user: CurrentUser, after: Account, at?: number): void {
      const place = organisation.users?.find({ reference: null, email: after.email || null });
      if (place !== undefined && place.at !== at)
        issues.add(["users", place.at, "email"], `is taken by user ${user.id} (${user.name})`);
      if (isAdministrator(after)) isAnyLeft = true;
      else if (isAdministrator(user)) firstLost ??= at;
    },
    watchNew(entry: Account): void {
      isAnyLeft ||= isAdministrator(entry);
    },
    refuse(): void {
      if (firstLost === undefined || isAnyLeft) return;
      issues.add(["users", firstLost], "is the last active administrator who can sign in; make another one first");
    },
  };
}
