/** Returns the rows in the order of `ids`, without IDs that have no row. */
export function inOrderOf<R extends { readonly id: number }>(ids: readonly number[], rows: readonly R[]): readonly R[] {
  if (ids.every((id, at) => rows[at]?.id === id)) return rows;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
