import { ServiceError } from "../../contract/errors.ts";
import type { Ability } from "../../contract/operation.ts";
import type { UnitPosition } from "../directory/unit-tree.ts";
import type { Actor } from "../pipeline/actor.ts";
import type { Ctx } from "../pipeline/context.ts";
import { requireAbilities } from "../pipeline/permissions.ts";
import { idsInPath } from "../pipeline/unit-path.ts";

/** Abilities granted by memberships, by the unit of the membership. */
export type GrantsByUnit = ReadonlyMap<number, readonly Ability[]>;

/** Loads the grants of all memberships in the units, also of deactivated users, who may be reactivated. */
export async function loadGrants({ db }: Ctx, units: readonly number[]): Promise<GrantsByUnit> {
  const rows = await db
    .selectFrom("memberships as m")
    .innerJoin("membership_user_types as mt", "mt.membership_id", "m.id")
    .innerJoin("user_types as t", "t.id", "mt.user_type_id")
    .select(["m.unit_id", "t.abilities"])
    .distinct()
    .where("m.unit_id", "in", units)
    .where("t.abilities", "<>", "[]")
    .execute();
  const byUnit = new Map<number, Ability[]>();
  for (const { unit_id, abilities } of rows) {
    byUnit.set(unit_id, [...(byUnit.get(unit_id) ?? []), ...(JSON.parse(abilities) as Ability[])]);
  }
  return byUnit;
}

/** Returns the abilities that apply to the unit from above only after it was moved below `parent`. */
export function extendedAbilities(
  grants: GrantsByUnit,
  unit: Pick<UnitPosition, "path">,
  parent: Pick<UnitPosition, "path">,
) {
  const present = new Set(idsInPath(unit.path));
  const added = idsInPath(parent.path).filter((id) => !present.has(id));
  return [...new Set(added.flatMap((id) => grants.get(id) ?? []))];
}

/** Returns true when the move would let the actor, as a member of the branch, read content of further units. */
export function movesItself(actor: Actor, unit: Pick<UnitPosition, "id">, parent: Pick<UnitPosition, "path">): boolean {
  return actor.branch.includes(unit.id) && idsInPath(parent.path).some((id) => !actor.branch.includes(id));
}

/** Throws `forbidden` unless the actor has every ability that the move extends, and does not move along to read more. */
export async function requireMove(ctx: Ctx, unit: UnitPosition, parent: UnitPosition): Promise<void> {
  if (ctx.actor.admin) return;
  requireElsewhere(ctx.actor, unit, parent);
  const grants = await loadGrants(ctx, idsInPath(parent.path));
  requireAbilities(ctx.actor, [{ path: unit.path, abilities: extendedAbilities(grants, unit, parent) }]);
}

/**
 * Throws `forbidden` as `requireMove`, for the children that move and the memberships that move to the target. What these grant
 * is needed in the unit, too, as for removing them: it may protect an account that is a member of the target already.
 */
export async function requireTransfer(ctx: Ctx, unit: UnitPosition, target: UnitPosition): Promise<void> {
  if (ctx.actor.admin) return;
  requireElsewhere(ctx.actor, unit, target);
  const grants = await loadGrants(ctx, [...idsInPath(unit.path), ...idsInPath(target.path)]);
  const granted = grants.get(unit.id) ?? [];
  requireAbilities(ctx.actor, [
    { path: unit.path, abilities: [...extendedAbilities(grants, unit, target), ...granted] },
    { path: target.path, abilities: granted },
  ]);
}

function requireElsewhere(actor: Actor, unit: UnitPosition, parent: UnitPosition): void {
  if (!movesItself(actor, unit, parent)) return;
  const message = `You are in unit ${unit.id} or below it, and would read more after this move; ask another user for it.`;
  throw new ServiceError("forbidden", message);
}
