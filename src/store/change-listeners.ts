import type { ChangeListener } from "./topics.ts";

/** Milliseconds between two checks of the data version. */
const pause = 20;

/** Creates a registry of listeners. `begin` runs for the first one, the function that it returns after the last one. */
export function listeners(begin: (wakeAll: ChangeListener) => () => void) {
  const all = new Set<ChangeListener>();
  let end: (() => void) | undefined;
  const wakeAll: ChangeListener = (topics) => {
    for (const wake of [...all]) wake(topics);
  };
  return {
    wakeAll,
    onChange(wake: ChangeListener) {
      // The same function may be registered twice.
      const listener: ChangeListener = (topics) => wake(topics);
      all.add(listener);
      end ??= begin(wakeAll);
      return () => {
        if (!all.delete(listener) || all.size > 0) return;
        end?.();
        end = undefined;
      };
    },
  };
}

/** Notifies of changes of the data version, which is polled, and of announced ones. Does not keep the process alive. */
export function watchVersion(version: () => number) {
  const { onChange, wakeAll } = listeners((wake) => {
    let last: number | undefined;
    // Requests report that the file cannot be read. A change meanwhile is noticed afterwards.
    const look = () => {
      try {
        return version();
      } catch {
        return last;
      }
    };
    last = look();
    const timer = setInterval(() => {
      const now = look();
      if (now === last) return;
      last = now;
      wake(undefined);
    }, pause);
    timer.unref();
    return () => clearInterval(timer);
  });
  return { onChange, announce: wakeAll };
}
