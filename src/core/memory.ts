/** The state of the data, by which it is known whether what was loaded is still true; undefined where that cannot be told. */
export type Version = number | undefined;

/** Keeps what `load` gives while the data is the same, or, where that cannot be told, for `milliseconds`. */
export function kept<T>(
  clock: () => number,
  milliseconds: number,
  load: () => Promise<T>,
): (version: Version) => Promise<T> | T {
  let known: { value: T; version: Version; until: number } | undefined;
  return (version) => {
    const fresh = version === undefined ? (known?.until ?? 0) > clock() : known?.version === version;
    if (known !== undefined && fresh) return known.value;
    return load().then((value) => {
      known = { value, version, until: clock() + milliseconds };
      return value;
    });
  };
}

/** A map that forgets what was put in first when it would grow beyond `size`. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  override set(key: K, value: V): this {
    if (this.size >= this.#most && !this.has(key)) this.delete(this.keys().next().value as K);
    return super.set(key, value);
  }
}
