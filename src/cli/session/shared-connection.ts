import type { Caller } from "../../contract/operation.ts";
import type { Connection } from "./connection.ts";

/** Returns the connection for several runs of commands: they cannot close it, and `stop` aborts their calls. */
export function shareConnection({ caller, target, raw }: Connection, stop: AbortSignal): Connection {
  const call: Caller["call"] = (op, input, options = {}) => {
    const signal = options.signal ? AbortSignal.any([stop, options.signal]) : stop;
    return caller.call(op, input, { ...options, signal });
  };
  return { caller: { call, close: async () => {} }, target, raw };
}
