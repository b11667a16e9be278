/** Milliseconds between two looks at whether the data has changed. */
const pause = 20;

/** Those who want to know that the data may have changed; `begin` runs with the first of them, what it gives back after the last. */
export function listeners(begin: (wakeAll: () => void) => () => void): (wake: () => void) => () => void {
  const all = new Set<() => void>();
  let end: (() => void) | undefined;
  const wakeAll = () => {
    for (const wake of [...all]) wake();
  };
  return (wake) => {
    // Two listeners may be the same function.
    const listener = () => wake();
    all.add(listener);
    end ??= begin(wakeAll);
    return () => {
      if (!all.delete(listener) || all.size > 0) return;
      end?.();
      end = undefined;
    };
  };
}

/** Tells of changes by looking at the version of the data, which costs microseconds. Does not keep the process alive. */
export function watchVersion(version: () => number): (wake: () => void) => () => void {
  return listeners((wakeAll) => {
    let last = version();
    const timer = setInterval(() => {
      const now = version();
      if (now === last) return;
      last = now;
      wakeAll();
    }, pause);
    timer.unref();
    return () => clearInterval(timer);
  });
}
