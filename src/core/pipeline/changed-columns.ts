/**
 * Returns the `wanted` columns whose values differ from `before`. Undefined values mean "unchanged" and are left out.
 */
export function listChangedColumns<T extends object>(
  before: { readonly [K in keyof T]?: unknown },
  wanted: T,
): Partial<T> {
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== undefined && before[name as keyof T] !== value),
  ) as Partial<T>;
}
