/**
 * The version of the data, which tells whether a cached value is still current; undefined when the database cannot
 * tell.
 */
export type Version = number | undefined;

/** The start of a call: Unix seconds, and the version of the data. */
export interface Moment {
  readonly now: number;
  readonly version: Version;
}

/** Caches the value of `load` while the version stays the same or, when there is no version, for `milliseconds`. */
export function cacheByVersion<T>(
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
