import type { z } from "zod";
import { fold } from "../../contract/fold-text.ts";
import type { unitRow } from "../../contract/unit-schemas.ts";
import { addToEach, insertRows, updateEach } from "../../store/bulk.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import type { Ctx } from "../pipeline/context.ts";
import { idsInPath } from "../pipeline/unit-path.ts";

export type UnitImportRow = z.infer<ReturnType<typeof unitRow>>;

type Compared = "id" | "reference" | "name" | "unit_type" | "description" | "parent_id" | "path" | "level";
/** `parent_label` is the reference of the parent, or its name without one. */
export type ExistingUnit = RowOf<"units", Compared> & { readonly parent_label: string | null };

export interface NewUnit {
  readonly row: UnitImportRow;
  readonly parent: ExistingUnit;
}

/** Inserts units, some hundreds per statement, updates the counts and returns the units in the same order. */
export async function addUnits(ctx: Ctx, wanted: readonly NewUnit[]): Promise<ExistingUnit[]> {
  if (wanted.length === 0) return [];
  const rows = wanted.map(({ row, parent }) => ({
    reference: row.reference,
    name: row.name,
    name_key: fold(row.name),
    description: row.description ?? "",
    unit_type: row.unit_type ?? ("unit" as const),
    parent_id: parent.id,
    // The path contains the ID, which is known only after the insert.
    path: `new ${row.reference}`,
    level: parent.level + 1,
    created_at: ctx.now,
    updated_at: ctx.now,
  }));
  const made = await insertRows(ctx.db, "units", rows, ["id", "reference"]);
  const idOf = new Map(made.map(({ id, reference }) => [reference, id]));
  const units = rows.map(({ name_key: _, created_at, updated_at, ...row }, position) => {
    // RETURNING gives every inserted row.
    const id = idOf.get(row.reference)!;
    // Rows and wanted units have the same order.
    const { parent } = wanted[position]!;
    return { ...row, id, path: `${parent.path}${id}/`, parent_label: unitLabel(parent) };
  });
  await updateEach(
    ctx.db,
    "units",
    units.map(({ id, path }) => ({ id, path })),
  );
  await updateCounts(ctx, wanted);
  return units;
}

export const unitLabel = ({ reference, name }: Pick<ExistingUnit, "reference" | "name">): string => reference ?? name;

async function updateCounts({ db }: Ctx, wanted: readonly NewUnit[]): Promise<void> {
  const more = new Map<number, { id: number; child_count: number; descendant_count: number }>();
  const countsOf = (id: number) => {
    const counts = more.get(id) ?? { id, child_count: 0, descendant_count: 0 };
    more.set(id, counts);
    return counts;
  };
  for (const [parent, below] of Map.groupBy(wanted, (each) => each.parent)) {
    countsOf(parent.id).child_count += below.length;
    for (const id of idsInPath(parent.path)) countsOf(id).descendant_count += below.length;
  }
  await addToEach(db, "units", [...more.values()]);
}
