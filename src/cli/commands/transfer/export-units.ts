import type { OutputOf } from "../../../contract/operation.ts";
import { unitRow } from "../../../contract/unit-schemas.ts";
import { units } from "../../../contract/units.ts";
import { writeExportFile } from "../../file-io/export-file.ts";
import { tableOf } from "../../file-io/file-rows.ts";
import { portionsOf } from "../../file-io/portions.ts";
import type { Context } from "../../kit/command-spec.ts";
import { walkItems } from "../../kit/walk-list.ts";

/** `wcs units export`: writes all units except the root, in an order that does not depend on IDs. */
export async function writeUnits(context: Context): Promise<void> {
  await writeExportFile(tableOf("units", unitRow()), context, async ({ caller, signal, write, skip }) => {
    // Drops fields that are not exported, to save memory.
    const all = await Array.fromAsync(walkItems(caller, units.list, {}, signal), (unit) => {
      const { id, name, reference, unit_type, description, parent } = unit;
      return { id, name, reference, unit_type, description, parent };
    });
    const root = all.find(({ parent }) => parent === null);
    const others = all
      .filter((unit) => unit !== root)
      .map((unit) => (unit.parent?.id === root?.id ? { ...unit, parent: null } : unit));
    const referenceOf = new Map(others.map(({ id, reference }) => [id, reference]));
    const rows = exportableUnits(others, skip).map(({ reference, name, parent, unit_type, description }) => {
      return { reference, name, parent: parent && referenceOf.get(parent.id), unit_type, description };
    });
    for (const some of portionsOf(rows, 500)) await write(some);
  });
}

type ListedUnit = Pick<OutputOf<typeof units.get>, "id" | "name" | "reference" | "parent">;

/** Returns the units that a file can name, parents before children, siblings by reference. Reports the others. */
export function exportableUnits<U extends ListedUnit>(units: readonly U[], skip: (what: string) => void): U[] {
  const named = units.filter(({ reference }) => reference !== null);
  const below = Map.groupBy(named, ({ parent }) => parent?.id);
  // The last one is taken first.
  const childrenOf = (id: number | undefined) =>
    (below.get(id) ?? []).sort((a, b) => ((a.reference ?? "") < (b.reference ?? "") ? 1 : -1));
  const waiting = childrenOf(undefined);
  const ordered: U[] = [];
  for (let unit = waiting.pop(); unit; unit = waiting.pop()) {
    ordered.push(unit);
    waiting.push(...childrenOf(unit.id));
  }
  const byId = new Map(units.map((unit) => [unit.id, unit]));
  const written = new Set(ordered);
  for (const unit of units) if (!written.has(unit)) skip(reasonToSkip(unit, byId));
  return ordered;
}

function reasonToSkip(unit: ListedUnit, byId: ReadonlyMap<number, ListedUnit>): string {
  const { id, name, reference } = unit;
  return reference === null
    ? `unit ${id} (${name}) has no reference; run wcs units update ${id} --reference REF`
    : `unit ${id} (${name}) is below unit ${unnamedAbove(unit, byId)}, which has no reference`;
}

function unnamedAbove({ parent }: ListedUnit, byId: ReadonlyMap<number, ListedUnit>): number | undefined {
  const above = parent && byId.get(parent.id);
  return above?.reference ? unnamedAbove(above, byId) : parent?.id;
}
