/** Those of the `wanted` columns that are not so already; undefined ones are to stay as they are. */
export function differing<T extends object>(before: { readonly [K in keyof T]?: unknown }, wanted: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => value !== undefined && before[name as keyof T] !== value),
  ) as Partial<T>;
}
