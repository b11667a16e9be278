interface BriefRow {
  readonly id: number;
  readonly name: string;
  readonly level: number;
  readonly unit_type: string;
}

/** Returns the short form of a unit that other objects contain. */
export function presentUnitBrief({ id, name, level, unit_type }: BriefRow) {
  return { content_type: "unit" as const, id, name, level, unit_type, url: `/units/${id}` };
}

/** Columns of the unit above a unit; null for the root. */
interface ParentRow {
  readonly parent_id: number | null;
  readonly parent_name: string | null;
  readonly parent_level: number | null;
  readonly parent_type: string | null;
}

/** Returns the short form of the unit above. */
export function presentParentUnit({ parent_id: id, parent_name: name, parent_level, parent_type }: ParentRow) {
  if (id === null) return null;
  return presentUnitBrief({ id, name: name ?? "", level: parent_level ?? 0, unit_type: parent_type ?? "unit" });
}
