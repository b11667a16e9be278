interface ListedUnit {
  readonly id: number;
  readonly name: string;
  readonly reference: string | null;
  readonly parent: { readonly id: number } | null;
}

/** Returns the units that a file can name: parents before children, siblings by reference. Reports the others. */
export function exportableUnits<U extends ListedUnit>(units: readonly U[], skip: (what: string) => void): U[] {
  const byId = new Map(units.map((unit) => [unit.id, unit]));
  const good = units.filter(({ id, name, reference, parent }) => {
    if (reference === null) skip(`unit ${id} (${name}) has no reference; run wcs units update ${id} --reference REF`);
    else if (parent && !byId.get(parent.id)?.reference)
      skip(`unit ${id} (${name}) is below unit ${parent.id}, which has no reference`);
    else return true;
    return false;
  });
  const written = new Set(good.map(({ id }) => id));
  const below = Map.groupBy(good, ({ parent }) => (parent && written.has(parent.id) ? parent.id : undefined));
  // The last one is taken first.
  const childrenOf = (id: number | undefined) =>
    (below.get(id) ?? []).sort((a, b) => ((a.reference ?? "") < (b.reference ?? "") ? 1 : -1));
  const waiting = childrenOf(undefined);
  const ordered: U[] = [];
  for (let unit = waiting.pop(); unit; unit = waiting.pop()) {
    ordered.push(unit);
    waiting.push(...childrenOf(unit.id));
  }
  return ordered;
}
