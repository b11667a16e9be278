import type { Topic, Wake } from "./topics.ts";

/** Milliseconds between two looks at whether the data has changed. */
const pause = 20;

/** Those who want to know what changed. */
export interface Listeners {
  onChange(wake: Wake): () => void;
  readonly wakeAll: Wake;
}

/** `begin` runs with the first listener, what it gives back after the last. */
export function listeners(begin: (wakeAll: Wake) => () => void): Listeners {
  const all = new Set<Wake>();
  let end: (() => void) | undefined;
  const wakeAll: Wake = (topics) => {
    for (const wake of [...all]) wake(topics);
  };
  return {
    wakeAll,
    onChange(wake) {
      // Two listeners may be the same function.
      const listener: Wake = (topics) => wake(topics);
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

/**
 * Tells of changes by others by looking at the version of the data, which costs microseconds, and of our own by what is
 * announced. Does not keep the process alive.
 */
export function watchVersion(version: () => number) {
  const { onChange, wakeAll } = listeners((wake) => {
    let last = version();
    const timer = setInterval(() => {
      const now = version();
      if (now === last) return;
      last = now;
      wake(undefined);
    }, pause);
    timer.unref();
    return () => clearInterval(timer);
  });
  return { onChange, announce: (topics: readonly Topic[]) => wakeAll(topics) };
}
