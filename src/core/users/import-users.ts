import { sql } from "kysely";
import type { FieldIssues } from "../../contract/errors.ts";
import { fold } from "../../contract/fold-text.ts";
import type { InputOf } from "../../contract/operation.ts";
import { userRow } from "../../contract/user-schemas.ts";
import { users as contract } from "../../contract/users.ts";
import { isAmong } from "../../store/dialect.ts";
import { seesPrivateFields } from "../directory/present-users.ts";
import { serviceProvider } from "../directory/service-accounts.ts";
import { emailKey } from "../directory/text-keys.ts";
import { may } from "../pipeline/actor.ts";
import { recordForEach } from "../pipeline/audit-log.ts";
import type { Ctx, Handlers } from "../pipeline/context.ts";
import { takeTurn } from "../pipeline/event-loop-turns.ts";
import { hasIssues } from "../pipeline/field-issues.ts";
import { collectResults, type ParsedRow, parseRows } from "../pipeline/import-rows.ts";
import { missingAbilities } from "../pipeline/permissions.ts";
import { birthdayIssue, isSignInAddress } from "./change-user.ts";
import { freeClaimedKeys } from "./free-claimed-keys.ts";
import { userColumns } from "./user-columns.ts";
import { showUserChanges } from "./user-import-changes.ts";
import {
  type ExistingUser,
  type Known,
  loadUsers,
  lookUp,
  type Type,
  typeNames,
  type UserImportRow,
  type Wanted,
} from "./user-import-lookup.ts";
import { collectRows, findUserChanges, type UserChanges } from "./user-import-writes.ts";

type Import = Handlers<typeof contract>["import"];

/** Rows planned in one turn of the event loop. */
const rowsAtOnce = 100;

export const importUserRows: Import = async (ctx, input) => {
  // Parsed before the transaction, because other changes wait during it.
  const all = await parseRows(userRow(), input.rows, emptyRow);
  return ctx.transaction((tx) => importParsed(tx, input, all));
};

const emptyRow: UserImportRow = { first_name: "", last_name: "", email: "", unit: "" };

type CheckedRow = ParsedRow<UserImportRow>;

/** Processes rows in order, but writes them together, and lets a row take an address that a later row gives up. */
async function importParsed(
  ctx: Ctx,
  { rows, key, create_user_types }: InputOf<typeof contract.import>,
  all: readonly CheckedRow[],
): ReturnType<Import> {
  const { list, skip, done, changed, markDeactivated } = collectResults(rows);
  const rowsOf = (some: readonly CheckedRow[]) => some.map(({ row }) => row);
  const known = await lookUp(ctx, rowsOf(all), create_user_types);
  const plan = (row: UserImportRow) => planRow(ctx, known, row, key);
  const userOf = (row: UserImportRow) => findUser(known, row, key);
  const isValid = (row: UserImportRow) => !hasIssues(plan(row).issues);
  const validRows = rowsOf(all.filter(({ wrong }) => wrong === undefined));
  const freed = await freeClaimedKeys(ctx, known, { rows: validRows, key, userOf, isValid });
  const waiting = collectRows(ctx);
  const write = async () => {
    const { created, changed } = await waiting.write();
    for (const { index, id } of created) done(index, "created", id);
    return [...created, ...changed].map(({ id }) => id);
  };
  for (const { index, row, wrong } of all) {
    if (index % rowsAtOnce === rowsAtOnce - 1) await takeTurn();
    if (waiting.affects(row)) known.add(await loadUsers(ctx, await write()));
    const { existing, wanted, changes, issues } = plan(row);
    if (wrong || wanted === undefined || hasIssues(issues)) skip(index, issues, wrong);
    else if (existing === undefined) waiting.create({ index, row, wanted });
    else {
      if (changes) waiting.change({ row, existing, wanted, changes });
      const before = freed.get(existing.id) ?? existing;
      const shown = changes && ctx.dryRun ? showUserChanges(ctx, known, { row, existing: before, changes }) : undefined;
      done(index, changes ? "changed" : "unchanged", existing.id, shown);
      if (existing.active === 0) markDeactivated(index);
    }
  }
  await write();
  await dropUnheld(ctx, known.newTypes);
  const paths = changed().map((id) => `/users/${id}`);
  await recordForEach(ctx, contract.import, [...new Set(paths)]);
  return { results: list };
}

type ImportKey = InputOf<typeof contract.import>["key"];

function planRow(ctx: Ctx, known: Known, row: UserImportRow, key: ImportKey) {
  const existing = findUser(known, row, key);
  const issues: FieldIssues = {};
  if (key === "reference" && !row.reference) issues.reference = [{ code: "required" }];
  const wanted = resolveRow(ctx, known, row, existing, issues);
  const changes = wanted && existing && findUserChanges(existing, wanted);
  if (changes && existing) checkTakeover(ctx, existing, { ...changes, unit: wanted.unit.id }, issues);
  return { existing, wanted, changes, issues };
}

/** Returns the user of a row: by the key of the import, else by reference, or by e-mail address if there is none. */
function findUser(known: Known, { reference, email }: UserImportRow, key: ImportKey) {
  if (key !== "email" && reference) return known.byReference.get(reference);
  return key === "reference" ? undefined : known.byEmail.get(emailKey(email));
}

/** Resolves the references of a row and checks the actor's permissions; adds every error to `issues`. */
function resolveRow(
  ctx: Ctx,
  known: Known,
  row: UserImportRow,
  existing: ExistingUser | undefined,
  issues: FieldIssues,
): Wanted | undefined {
  const { unit: unitReference, user_types, department, ...fields } = row;
  const unit = known.units.get(unitReference);
  // Issues about users that the actor does not see would reveal whose address it is.
  const shown = existing && sees(ctx, existing) ? existing : undefined;
  if (unit === undefined) issues.unit = [{ code: "no_such_unit", params: { reference: unitReference } }];
  else if (!may(ctx.actor, "user", unit.path)) issues.unit = [{ code: "out_of_reach", params: { ability: "user" } }];
  if (existing === undefined || shown !== undefined) checkUntaken(ctx, known, row, existing, issues);
  if (existing !== undefined) checkReach(ctx, existing, row, issues);
  const types = user_types === undefined ? undefined : resolveTypes(known, user_types, issues);
  if (unit !== undefined) checkGrants(ctx, unit, shown, types, issues);
  // Null clears the department, undefined keeps it.
  const departmentId = typeof department === "string" ? known.departments.get(`${unit?.id} ${department}`) : department;
  if (typeof department === "string" && departmentId === undefined)
    issues.department = [{ code: "no_such_department", params: { name: department } }];
  const birthday = birthdayIssue(ctx, row.birthday, shown);
  if (birthday) issues.birthday = [birthday];
  if (unit === undefined || hasIssues(issues)) return undefined;
  const { first_name, last_name, email } = row;
  return {
    columns: { ...userColumns(fields), first_name, last_name, email },
    unit,
    types: types?.map((type) => type.id),
    department: departmentId,
  };
}

/** Adds an error when another user has the address or the reference. */
function checkUntaken(
  ctx: Ctx,
  known: Known,
  { email, reference }: UserImportRow,
  existing: ExistingUser | undefined,
  issues: FieldIssues,
): void {
  const holder = known.byEmail.get(emailKey(email));
  if (holder !== undefined && holder.id !== existing?.id)
    issues.email = [{ code: "email_taken", params: sees(ctx, holder) ? holderParams(ctx, holder) : {} }];
  const named = reference ? known.byReference.get(reference) : undefined;
  if (named !== undefined && named.id !== existing?.id)
    issues.reference = [{ code: "reference_taken", params: holderParams(ctx, named) }];
}

/** Says that a user is deactivated only to those who can reactivate users. */
const holderParams = ({ actor }: Ctx, { id, active, unit_path }: ExistingUser) => ({
  user: id,
  ...(active === 0 && may(actor, "user", unit_path) && { deactivated: "true" }),
});

const sees = ({ actor }: Ctx, { id, unit_path }: ExistingUser) => seesPrivateFields(actor, { id, path: unit_path });

/** Adds an error about a service account, a user out of the actor's reach, or an address or provider that an API token cannot change. */
function checkReach(
  ctx: Ctx,
  existing: ExistingUser,
  { email, provider = existing.provider }: UserImportRow,
  issues: FieldIssues,
): void {
  const { actor, apiToken } = ctx;
  const admin = existing.admin === 1;
  if (existing.provider === serviceProvider) issues.email = [{ code: "service_account" }];
  if (!may(actor, "user", existing.unit_path) || (admin && !actor.admin)) {
    issues.reference = [{ code: "user_out_of_reach" }];
  } else if (apiToken) {
    if (existing.email !== email && isSignInAddress(ctx, existing)) issues.email = [{ code: "sign_in_only" }];
    if (existing.provider !== provider && admin) issues.provider = [{ code: "sign_in_only" }];
  }
}

/**
 * Adds an error when the actor lacks an ability of the user, whose account the row can take over, or when users extend
 * their own membership or change their own provider.
 */
function checkTakeover(
  { actor }: Ctx,
  { id, grants, unit_id, types: held }: ExistingUser,
  { unit, columns, types = [] }: Pick<UserChanges, "columns" | "types"> & { unit: number },
  issues: FieldIssues,
): void {
  if (id === actor.id && columns.provider !== undefined) issues.provider = [{ code: "own_provider" }];
  if (actor.admin) return;
  const missing = missingAbilities(actor, grants);
  if (missing.length > 0) {
    issues.reference = [{ code: "user_beyond_abilities", params: { abilities: missing } }];
  }
  if (id !== actor.id) return;
  if (unit !== unit_id) issues.unit = [{ code: "own_membership" }];
  const added = types.some((type) => !held.some((each) => each.id === type));
  if (added) issues.user_types = [{ code: "own_user_types" }];
}

function resolveTypes(known: Known, cell: string, issues: FieldIssues): Type[] {
  const names = typeNames(cell);
  const unknown = names.filter((name) => !known.types.has(fold(name)));
  if (unknown.length > 0) issues.user_types = unknown.map((name) => ({ code: "no_such_user_type", params: { name } }));
  return [...new Set(names.flatMap((name) => known.types.get(fold(name)) ?? []))];
}

/** Adds an error when the actor lacks abilities granted or revoked in the unit. Types move along with a user. */
function checkGrants(
  { actor }: Ctx,
  unit: { id: number; path: string },
  existing: ExistingUser | undefined,
  wanted: readonly Type[] | undefined,
  issues: FieldIssues,
): void {
  if (actor.admin) return;
  const held = existing?.types ?? [];
  const after = wanted ?? held;
  const isIn = (types: readonly Type[], type: Type) => types.some((each) => each.id === type.id);
  const added = after.filter((type) => !isIn(held, type));
  const isMoved = existing !== undefined && existing.unit_id !== unit.id;
  const changed = isMoved ? [...held, ...added] : [...held.filter((type) => !isIn(after, type)), ...added];
  const causes = changed.flatMap(({ name, abilities }) => {
    const beyond = abilities.filter((ability) => !may(actor, ability, unit.path));
    const params = { name, abilities: beyond };
    return beyond.length > 0 ? [{ code: "user_type_beyond_abilities", params } as const] : [];
  });
  if (causes.length > 0) issues.user_types = [...(issues.user_types ?? []), ...causes];
}

/** Deletes the user types that were created only for rows with errors. */
async function dropUnheld({ db }: Ctx, types: readonly number[]): Promise<void> {
  if (types.length === 0) return;
  await sql`delete from user_types where ${isAmong("id", types)}
    and not exists (select 1 from membership_user_types held where held.user_type_id = user_types.id)`.execute(db);
}
