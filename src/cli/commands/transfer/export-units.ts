import { unitRow } from "../../../contract/unit-schemas.ts";
import { units } from "../../../contract/units.ts";
import { writeExportFile } from "../../file-io/export-file.ts";
import { tableOf } from "../../file-io/file-rows.ts";
import { portionsOf } from "../../file-io/portions.ts";
import type { Context } from "../../kit/command-spec.ts";
import { walkItems } from "../../kit/walk-list.ts";
import { exportableUnits } from "./exportable-units.ts";

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
