import type { Ctx } from "./context.ts";

/** Changes that nobody announced are seen after this time, in milliseconds. */
const blindPause = 1000;

/**
 * Looks now and after each change until `look` finds something, `seconds` are over, or nobody waits for the answer any
 * more. Holds neither a transaction nor a connection between two looks.
 */
export async function waitFor<T>(
  ctx: Pick<Ctx, "onChange" | "signal">,
  seconds: number,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const deadline = performance.now() + seconds * 1000;
  const signal = ctx.signal();
  let changed = false;
  let wake = () => {};
  const onChange = () => {
    changed = true;
    wake();
  };
  const stop = ctx.onChange(onChange);
  signal?.addEventListener("abort", onChange);
  try {
    for (;;) {
      changed = false;
      const found = await look();
      const left = deadline - performance.now();
      if (found !== undefined || left <= 0 || signal?.aborted) return found;
      let timer: NodeJS.Timeout | undefined;
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, Math.min(left, blindPause));
      });
      if (!changed) await woken;
      clearTimeout(timer);
    }
  } finally {
    stop();
    signal?.removeEventListener("abort", onChange);
  }
}
