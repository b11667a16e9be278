import { listFirst } from "../../contract/count-text.ts";
import { invalid, ServiceError } from "../../contract/errors.ts";
import { pathFields } from "../../contract/field-spec.ts";
import { type Ability, type Access, type AnyOperation, abilities, type Reach } from "../../contract/operation.ts";
import { findRows } from "../../store/bulk.ts";
import type { Db } from "../../store/database.ts";
import { prepared } from "../../store/prepared.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import { type Actor, may, nobody } from "./actor.ts";
import type { Ctx } from "./context.ts";
import { lastIdInPath } from "./unit-path.ts";

/** Returns the context with the permissions of an administrator. */
export function asAdministrator(ctx: Ctx): Ctx {
  return { ...ctx, actor: { ...nobody, admin: true } };
}

/** Maximum number of abilities that a message names. */
const maxNamed = 10;

/** Abilities in the unit with that path; without a path, in any unit. */
interface Grant {
  readonly path?: string;
  readonly abilities: readonly Ability[];
}

/** Returns the abilities that the actor lacks, each with its unit, as in "news in unit 5". */
export function missingAbilities(actor: Actor, grants: readonly Grant[]): string[] {
  const missing = new Set<string>();
  for (const { path, abilities } of grants) {
    for (const ability of abilities) {
      if (!may(actor, ability, path))
        missing.add(path === undefined ? ability : `${ability} in unit ${lastIdInPath(path)}`);
    }
  }
  return [...missing].sort();
}

/** Throws `forbidden` unless the actor has all these abilities. Users cannot grant or revoke what they do not have. */
export function requireAbilities(actor: Actor, grants: readonly Grant[]): void {
  const missing = missingAbilities(actor, grants);
  if (missing.length === 0) return;
  const noun = missing.length === 1 ? "ability" : "abilities";
  throw new ServiceError("forbidden", `You don't have the ${noun} ${listFirst(missing, maxNamed)}.`);
}

/** Throws `forbidden` unless the actor has the ability in the unit with that path; without a path, in any unit. */
export function requireAbility(actor: Actor, ability: Ability, path?: string | null): void {
  if (may(actor, ability, path)) return;
  const place = path ? `unit ${lastIdInPath(path)}` : "any unit";
  throw new ServiceError("forbidden", `You don't have the ability ${ability} in ${place}.`);
}

/** Throws `forbidden` when the actor lacks the ability in one of these units. */
export function requireAbilityIn(
  actor: Actor,
  ability: Ability,
  units: readonly RowOf<"units", "id" | "path">[],
): void {
  const missing = units.filter(({ path }) => !may(actor, ability, path)).map(({ id }) => id);
  if (missing.length > 0)
    throw new ServiceError("forbidden", `You don't have the ability ${ability} in these units: ${missing.join(", ")}.`);
}

/** Throws `forbidden` for an API token: the action could give its holder a sign-in, which outlives the token. */
export function requireSignIn({ apiToken }: Ctx, action: string): void {
  if (apiToken !== undefined) throw new ServiceError("forbidden", `An API token cannot ${action}; sign in instead.`);
}

const noAbilities = Object.fromEntries(abilities.map((ability) => [ability, false])) as Record<Ability, boolean>;

export function presentAbilities(granted: Iterable<Ability>): Record<Ability, boolean> {
  const shown = { ...noAbilities };
  markAbilities(shown, granted);
  return shown;
}

/** Sets the granted abilities, without those that no longer exist, to true. */
export function markAbilities(shown: Record<Ability, boolean>, granted: Iterable<Ability>): void {
  for (const ability of granted) if (ability in shown) shown[ability] = true;
}

/**
 * Throws unless the actor may call the operation and the users and units that it names exist. Returns a promise only if the
 * database has to tell. `applies` limits the check to some fields.
 */
export function permit(
  ctx: Ctx,
  op: AnyOperation,
  input: Record<string, unknown>,
  applies: (field: string) => boolean = () => true,
): Promise<undefined> | undefined {
  const { access } = op;
  if (access === "public") return undefined;
  if (ctx.actor.id === 0) throw new ServiceError("unauthenticated", "Sign in first: this needs a token.");
  requireTwoFactor(ctx, op);
  if (typeof access === "object") return requireAbilityAt(ctx, op, access, { input, applies });
  if (access === "administrator" && !ctx.actor.admin)
    throw new ServiceError("forbidden", "Only administrators can do this.");
  return undefined;
}

interface Named {
  readonly input: Record<string, unknown>;
  readonly applies: (field: string) => boolean;
}

async function requireAbilityAt(
  ctx: Ctx,
  op: AnyOperation,
  access: Exclude<Access, string>,
  { input, applies }: Named,
): Promise<undefined> {
  const at = access.at?.filter((reach) => applies(fieldOfReach(reach)));
  const [first] = at ?? [];
  if (access.self && first && "user" in first && input[first.user] === ctx.actor.id) return;
  const inPath = pathFields(op).map(({ name }) => name);
  const paths: (string | null | undefined)[] = at ? [] : [undefined];
  for (const reach of at ?? []) paths.push(...(await pathsOf(ctx, reach, input, inPath)));
  for (const path of paths) requireAbility(ctx.actor, access.ability, path);
  if (access.takeover) await requireGrantsOf(ctx, await takenOver(ctx, { ...access, at }, input));
}

/** Returns the users whose accounts the caller could take over with this operation. */
async function takenOver(
  { db }: Ctx,
  { at = [], takeover }: Exclude<Access, string>,
  input: Record<string, unknown>,
): Promise<number[]> {
  const ids = at.flatMap((reach) => ("user" in reach ? (input[reach.user] as number | number[]) : []));
  if (takeover === undefined || takeover === true) return ids;
  const asked = takeover.filter((field) => input[field] !== undefined);
  if (asked.length === 0) return [];
  const rows = await findRows(db, "users", { id: ids }, ["id", "email", "reference", "provider"]);
  return rows.filter((row) => asked.some((field) => row[field] !== input[field])).map((row) => row.id);
}

const grantsOfUsers = prepared((db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("memberships as m")
    .innerJoin("units as n", "n.id", "m.unit_id")
    .innerJoin("membership_user_types as mt", "mt.membership_id", "m.id")
    .innerJoin("user_types as t", "t.id", "mt.user_type_id")
    .select(["n.path", "t.abilities"])
    .distinct()
    .where("m.user_id", "in", p.ids)
    .where("t.abilities", "<>", "[]"),
);

/** Throws `forbidden` unless the actor has every ability of these users, whose accounts the operation could take over. */
export async function requireGrantsOf({ db, actor }: Ctx, ids: readonly number[]): Promise<void> {
  if (actor.admin || ids.length === 0) return;
  const rows = await grantsOfUsers(db, { ids });
  requireAbilities(
    actor,
    rows.map(({ path, abilities }) => ({ path, abilities: JSON.parse(abilities) })),
  );
}

export const fieldOfReach = (reach: Reach): string =>
  "user" in reach ? reach.user : "member" in reach ? reach.member : reach.unit;

async function pathsOf(ctx: Ctx, reach: Reach, input: Record<string, unknown>, inPath: readonly string[]) {
  if ("user" in reach) return pathsOfUsers(ctx, reach.user, input[reach.user] as number | number[]);
  if ("member" in reach) {
    await pathsOfUsers(ctx, reach.member, input[reach.member] as number);
    return [];
  }
  const unit = input[reach.unit] as number | null | undefined;
  if (unit === undefined || unit === null) return [];
  const path = await unitPath(ctx.db, unit);
  if (path !== undefined) return [path];
  if (inPath.includes(reach.unit)) throw new ServiceError("not_found", `There is no unit ${unit}.`);
  throw invalid({ [reach.unit]: [`is not an existing unit: ${unit}`] });
}

const unitPaths = prepared((db, p: { id: number }) => db.selectFrom("units").select("path").where("id", "=", p.id));

export async function unitPath(db: Db, id: number): Promise<string | undefined> {
  return (await unitPaths(db, { id }))[0]?.path;
}

const usersWithPaths = prepared((db, p: { ids: readonly number[] }) =>
  db
    .selectFrom("users as u")
    .leftJoin("units as n", "n.id", "u.unit_id")
    .select(["u.id", "u.deleted_at", "u.admin", "n.path"])
    .where("u.id", "in", p.ids)
    .orderBy("u.id"),
);

/** Returns the paths of the first units of users. Throws for users who do not exist, and for administrators if the actor is none. */
export async function pathsOfUsers(ctx: Ctx, field: string, named: number | number[]): Promise<(string | null)[]> {
  const ids = Array.isArray(named) ? [...new Set(named)] : [named];
  const rows = await usersWithPaths(ctx.db, { ids });
  if (!Array.isArray(named)) requireUser(rows[0], named);
  const known = new Set(rows.filter((row) => row.deleted_at === null).map((row) => row.id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw invalid({ [field]: [`contains users that do not exist: ${unknown.join(", ")}`] });
  // Changing an administrator's account would allow the actor to take it over.
  if (!ctx.actor.admin && rows.some((row) => row.admin === 1)) {
    throw new ServiceError("forbidden", "Only administrators can change an administrator.");
  }
  return rows.map((row) => row.path);
}

/** Throws `not_found` when the user does not exist and `gone` when it was deleted. */
export function requireUser<T extends { deleted_at: number | null }>(row: T | undefined, id: number): asserts row is T {
  if (row === undefined) throw new ServiceError("not_found", `There is no user ${id}.`);
  if (row.deleted_at !== null) throw new ServiceError("gone", `User ${id} was deleted.`);
}

/** Returns true for an administrator who has to set up two factors first. API tokens and embedded callers do not sign in. */
export function lacksTwoFactor({ settings, actor, token }: Ctx): boolean {
  return settings["two_factor.required_for_administrators"] && actor.admin && !actor.twoFactor && token !== undefined;
}

/** Throws `two_factor_required` when the actor has to set up two factors before calling the operation. */
function requireTwoFactor(ctx: Ctx, op: AnyOperation): void {
  if (op.withoutTwoFactor || !lacksTwoFactor(ctx)) return;
  throw new ServiceError(
    "two_factor_required",
    "Administrators of this instance need two factors; set them up with wcs auth 2fa enable.",
  );
}
