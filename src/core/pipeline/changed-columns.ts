/** Returns the `wanted` columns that are not undefined and differ from `before`. */
export function listChangedColumns<T extends object>(
  before: { readonly [K in keyof T]?: unknown },
  wanted: T,
): Partial<T> {
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== undefined && before[name as keyof T] !== value),
  ) as Partial<T>;
}
