interface ListedUnit {
  readonly id: number;
  readonly name: string;
  readonly reference: string | null;
  readonly parent: { readonly id: number } | null;
}

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
