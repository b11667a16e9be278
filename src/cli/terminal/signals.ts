type Process = Pick<NodeJS.Process, "stdin" | "stdout" | "stderr" | "pid" | "kill" | "on" | "removeListener">;

export type Signals = ReturnType<typeof handleSignals>;

/** Throws when the signal is aborted. Lets Ctrl-C abort it: a local database answers without returning to the event loop. */
export async function letInterrupt(signal: AbortSignal): Promise<void> {
  await new Promise(setImmediate);
  signal.throwIfAborted();
}

export const noSignals: Signals = { take: () => () => {}, delayStop: () => {}, release: () => {}, repeat: () => {} };

/** `release` and `repeat` do nothing without a terminal: a program that starts this one then gets exit code 130. */
export function handleSignals(owner: Process) {
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
    /** Replaces the current handler; returns a function that restores it. */
    take(next: () => void) {
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
    /** Lets Ctrl-Z wait while `next` returns true. */
    delayStop(next: () => boolean) {
      isBusy = next;
    },
    /** Lets the system end the process. It does so at once, where a handler waits for the end of an SQL statement. */
    release() {
      if (isAttended()) leave();
    },
    /** Ends the process by the SIGINT that it received, if any. A shell ends a loop only for that, not for exit code 130. */
    repeat() {
      if (received !== "SIGINT" || !isAttended()) return;
      leave();
      owner.kill(owner.pid, received);
    },
  };
}
