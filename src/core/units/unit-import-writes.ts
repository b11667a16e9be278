import { sql } from "kysely";
import type { z } from "zod";
import { fold } from "../../contract/fold-text.ts";
import type { unitRow } from "../../contract/unit-schemas.ts";
import { insertRows, rowsAs } from "../../store/bulk.ts";
import type { RowOf } from "../../store/schema/schema.ts";
import type { Ctx } from "../pipeline/context.ts";
import { idsInPath } from "../pipeline/unit-path.ts";

export type UnitImportRow = z.infer<ReturnType<typeof unitRow>>;

type Compared = "id" | "reference" | "name" | "unit_type" | "description" | "parent_id" | "path" | "level";
export type ExistingUnit = RowOf<"units", Compared>;

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
  const made = await insertRows<{ id: number; reference: string }>(ctx.db, "units", rows, "id, reference");
  const idOf = new Map(made.map(({ id, reference }) => [reference, id]));
  const units = rows.map(({ name_key: _, created_at, updated_at, ...row }, position) => {
    // RETURNING gives every inserted row.
    const id = idOf.get(row.reference)!;
    // Rows and wanted units have the same order.
    return { ...row, id, path: `${wanted[position]!.parent.path}${id}/` };
  });
  await storePaths(ctx, units);
  await updateCounts(ctx, wanted);
  return units;
}

async function storePaths({ db }: Ctx, units: readonly ExistingUnit[]): Promise<void> {
  const placed = rowsAs(db, "placed", { id: "bigint", path: "text" }, units);
  await sql`update units set path = placed.path from ${placed} where units.id = placed.id`.execute(db);
}

async function updateCounts({ db }: Ctx, wanted: readonly NewUnit[]): Promise<void> {
  const more = new Map<number, { id: number; children: number; descendants: number }>();
  const countsOf = (id: number) => {
    const counts = more.get(id) ?? { id, children: 0, descendants: 0 };
    more.set(id, counts);
    return counts;
  };
  for (const [parent, below] of Map.groupBy(wanted, (each) => each.parent)) {
    countsOf(parent.id).children += below.length;
    for (const id of idsInPath(parent.path)) countsOf(id).descendants += below.length;
  }
  const types = { id: "bigint", children: "bigint", descendants: "bigint" } as const;
  const added = rowsAs(db, "added", types, [...more.values()]);
  await sql`update units set child_count = child_count + added.children,
    descendant_count = descendant_count + added.descendants from ${added} where units.id = added.id`.execute(db);
}
