/** The version of a kind of fact; undefined when the database cannot tell without a round trip. */
export type Version = number | undefined;

/** Caches the value of `load` while the version stays the same; without a version, loads it each time. */
export function cacheByVersion<T>(load: () => Promise<T>): (version: Version) => Promise<T> | T {
  let known: { readonly value: T; readonly version: Version } | undefined;
  return (version) => {
    if (version !== undefined && known?.version === version) return known.value;
    return load().then((value) => {
      known = { value, version };
      return value;
    });
  };
}
