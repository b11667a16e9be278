export type Item = Record<string, unknown>;

export interface Page<T extends object = Item> {
  readonly items: readonly T[];
  readonly more: boolean;
  readonly response: unknown;
}

/** Returns the value at a path like `meta.next_cursor`; undefined where the path ends early. */
export function valueAt(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((inner, name) => (inner as Item | null | undefined)?.[name], value);
}
