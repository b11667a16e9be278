import type { RowOf } from "../../store/schema/schema.ts";

type BriefRow = RowOf<"units", "id" | "name" | "level" | "unit_type">;

export function presentUnitBrief({ id, name, level, unit_type }: BriefRow) {
  return { content_type: "unit" as const, id, name, level, unit_type, url: `/units/${id}` };
}

/** Columns of the unit above a unit; null for the root. */
interface ParentRow {
  readonly parent_id: number | null;
  readonly parent_name: string | null;
  readonly parent_level: number | null;
  readonly parent_type: BriefRow["unit_type"] | null;
}

export function presentParentUnit({ parent_id: id, parent_name: name, parent_level, parent_type }: ParentRow) {
  if (id === null) return null;
  return presentUnitBrief({ id, name: name ?? "", level: parent_level ?? 0, unit_type: parent_type ?? "unit" });
}
