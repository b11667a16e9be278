import type { Ability } from "../../contract/operation.ts";
import { isAmong } from "../../store/dialect.ts";
import type { Ctx } from "../context.ts";
import { requireAbilities } from "../permissions.ts";
import { ancestorsOf, idOf, type Place } from "../unit-tree.ts";

/** Abilities that memberships grant, by the unit of the membership. */
export type GrantsByUnit = ReadonlyMap<number, readonly Ability[]>;

/** The IDs of units with these paths, and of all above them. */
export function chainOf(...paths: string[]): number[] {
  return [...new Set(paths.flatMap((path) => [...ancestorsOf(path), idOf(path)]))];
}

/** Loads the grants of all memberships in the units: deactivated users count, since they may come back. One query. */
export async function loadGrants({ db }: Ctx, units: readonly number[]): Promise<GrantsByUnit> {
  const rows = await db
    .selectFrom("memberships as m")
    .innerJoin("membership_user_types as mt", "mt.membership_id", "m.id")
    .innerJoin("user_types as t", "t.id", "mt.user_type_id")
    .select(["m.unit_id", "t.abilities"])
    .distinct()
    .where((eb) => isAmong(db, eb.ref("m.unit_id"), units))
    .where("t.abilities", "<>", "[]")
    .execute();
  const byUnit = new Map<number, Ability[]>();
  for (const { unit_id, abilities } of rows) {
    byUnit.set(unit_id, [...(byUnit.get(unit_id) ?? []), ...(JSON.parse(abilities) as Ability[])]);
  }
  return byUnit;
}

/** Returns the abilities that would reach the unit from above only once it is below `parent`. */
export function extendedAbilities(grants: GrantsByUnit, unit: Pick<Place, "path">, parent: Pick<Place, "path">) {
  const present = new Set(chainOf(unit.path));
  const added = chainOf(parent.path).filter((id) => !present.has(id));
  return [...new Set(added.flatMap((id) => grants.get(id) ?? []))];
}

/**
 * Throws `forbidden` unless the actor has every ability that a move of the unit below `parent` extends over the unit: others'
 * abilities, and the actor's own ones.
 */
export async function requireMove(ctx: Ctx, unit: Place, parent: Place): Promise<void> {
  if (ctx.actor.admin) return;
  const grants = await loadGrants(ctx, chainOf(parent.path));
  requireAbilities(ctx.actor, [{ path: unit.path, abilities: extendedAbilities(grants, unit, parent) }]);
}

/**
 * Throws `forbidden` unless the actor has every ability that a transfer extends: over what the unit gives away as by a move,
 * and over the target by the memberships that go there.
 */
export async function requireTransfer(ctx: Ctx, unit: Place, target: Place): Promise<void> {
  if (ctx.actor.admin) return;
  const grants = await loadGrants(ctx, chainOf(unit.path, target.path));
  requireAbilities(ctx.actor, [
    { path: unit.path, abilities: extendedAbilities(grants, unit, target) },
    { path: target.path, abilities: grants.get(unit.id) ?? [] },
  ]);
}
