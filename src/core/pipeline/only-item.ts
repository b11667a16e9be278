/** Returns the item of a list that must have one: the representation of a single row, or the row of a query that always gives one. */
export function onlyItem<T>([item]: readonly T[]): T {
  if (item === undefined) throw new Error("a list that must have an item is empty");
  return item;
}
