import type { OutputOf } from "../../../contract/operation.ts";
import { unitRow } from "../../../contract/unit-schemas.ts";
import { units } from "../../../contract/units.ts";
import { writeExportFile } from "../../file-io/export-file.ts";
import { portionsOf } from "../../file-io/portions.ts";
import { tableOf } from "../../file-io/row-columns.ts";
import type { FileRow } from "../../file-io/source-row.ts";
import type { Context } from "../../kit/command-spec.ts";
import { walkItems } from "../../kit/walk-list.ts";

type Unit = Pick<OutputOf<typeof units.get>, "id" | "name" | "reference" | "unit_type" | "description" | "parent">;

/** `wcs units export`: writes all units except the root, in an order that does not depend on IDs. */
export async function writeUnits(context: Context): Promise<void> {
  await writeExportFile(tableOf("units", unitRow()), context, async ({ caller, signal, write, skip }) => {
    const below = new Map<number | undefined, Unit[]>();
    for await (const unit of walkItems(caller, units.list, {}, signal)) add(below, unit);
    const [root] = below.get(undefined) ?? [];
    function* rows(): Generator<FileRow> {
      for (const { unit, parent } of inTree(below, root)) {
        const problem = whyNot(unit, parent);
        if (problem) skip(problem);
        else yield rowOf(unit, parent === root ? undefined : parent);
      }
    }
    for (const some of portionsOf(rows(), 500)) await write(some);
  });
}

function add(
  below: Map<number | undefined, Unit[]>,
  { id, name, reference, unit_type, description, parent }: Unit,
): void {
  const unit = { id, name, reference, unit_type, description, parent };
  const siblings = below.get(parent?.id);
  if (siblings) siblings.push(unit);
  else below.set(parent?.id, [unit]);
}

/** Returns the units below the root: parents before children, siblings by reference. */
function* inTree(below: ReadonlyMap<number | undefined, readonly Unit[]>, root: Unit | undefined) {
  const childrenOf = (parent: Unit) =>
    (below.get(parent.id) ?? [])
      .toSorted((a, b) => compare(b.reference ?? "", a.reference ?? ""))
      .map((unit) => ({ unit, parent }));
  const waiting = root ? childrenOf(root) : [];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    waiting.push(...childrenOf(next.unit));
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the reason why a unit has no row in a file. */
function whyNot(unit: Unit, parent: Unit): string | undefined {
  if (unit.reference === null)
    return `unit ${unit.id} (${unit.name}) has no reference; run wcs units update ${unit.id} --reference REF`;
  if (parent.reference !== null || parent.parent === null) return undefined;
  return `unit ${unit.id} (${unit.name}) is below unit ${parent.id}, which has no reference`;
}

const rowOf = ({ reference, name, unit_type, description }: Unit, parent: Unit | undefined): FileRow => ({
  reference,
  name,
  parent: parent?.reference ?? null,
  unit_type,
  description,
});
