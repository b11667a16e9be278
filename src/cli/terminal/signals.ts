type Process = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "pid" | "kill" | "on" | "removeListener">;

export interface Signals {
  /** Replaces the current handler; returns a function that restores it. */
  take(handler: () => void): () => void;
  /** Lets Ctrl-Z wait while `isBusy` returns true. */
  delayStop(isBusy: () => boolean): void;
  /** Lets the system end the process. It does so at once, where a handler waits for the end of an SQL statement. */
  release(): void;
  /** Ends the process by the SIGINT that it received, if any. A shell ends a loop only for that, not for exit code 130. */
  repeat(): void;
}

/** Throws when the signal is aborted. Lets Ctrl-C abort it: a local database answers without returning to the event loop. */
export async function letInterrupt(signal: AbortSignal): Promise<void> {
  await new Promise(setImmediate);
  signal.throwIfAborted();
}

export const noSignals: Signals = { take: () => () => {}, delayStop: () => {}, release: () => {}, repeat: () => {} };

/** `release` and `repeat` do nothing without a terminal: a program that starts this one then gets exit code 130. */
export function handleSignals(owner: Process): Signals {
  let handler: (() => void) | undefined;
  let received: NodeJS.Signals | undefined;
  const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let isBusy = () => false;
  let isStopping = false;
  const suspend = () => {
    // The listener stays while a stop waits, since the system would follow a second Ctrl-Z at once.
    if (!isStopping) stop();
  };
  const stop = () => {
    isStopping = isBusy();
    if (isStopping) return void setImmediate(stop);
    owner.removeListener("SIGTSTP", suspend);
    owner.kill(owner.pid, "SIGTSTP");
    if (handler) owner.on("SIGTSTP", suspend);
  };
  const handle = (signal: NodeJS.Signals) => {
    received = signal;
    handler?.();
  };
  const isAttended = () => [owner.stdin, owner.stdout, owner.stderr].some(({ isTTY }) => isTTY === true);
  const leave = () => {
    handler = undefined;
    for (const name of names) owner.removeListener(name, handle);
    owner.removeListener("SIGTSTP", suspend);
  };
  return {
    take(next) {
      const before = handler;
      if (!handler) {
        for (const name of names) owner.on(name, handle);
        owner.on("SIGTSTP", suspend);
      }
      handler = next;
      return () => {
        handler = before;
      };
    },
    delayStop(next) {
      isBusy = next;
    },
    release() {
      if (isAttended()) leave();
    },
    repeat() {
      if (received !== "SIGINT" || !isAttended()) return;
      leave();
      owner.kill(owner.pid, received);
    },
  };
}
