/** Removes the oldest entry beyond `max`. lru-cache would be loaded at every start with a database. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: K, value: V): this {
    if (this.size >= this.#max && !this.has(key)) this.delete(this.keys().next().value as K);
    return super.set(key, value);
  }
}

/** Returns a function that caches the results of `compute` for the last thousand keys. */
export function memoize<K, V>(compute: (key: K) => V): (key: K) => V {
  const known = new BoundedMap<K, { readonly value: V }>(1000);
  return (key) => {
    let entry = known.get(key);
    if (entry === undefined) {
      entry = { value: compute(key) };
      known.set(key, entry);
    }
    return entry.value;
  };
}
