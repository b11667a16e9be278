import { ServiceError } from "../../contract/errors.ts";
import type { Caller } from "../../contract/operation.ts";
import type { Client } from "../../http/client/client.ts";
import { tokenTimesOf } from "../../http/client/token-times.ts";
import { openCaller, type Route } from "./open-caller.ts";

/** Milliseconds that a command waits for the end of its session. */
const timeout = 5000;

async function signOut(caller: Caller): Promise<void> {
  const { sessions } = await import("../../contract/sessions.ts");
  await caller.call(sessions.endCurrent, {}, { signal: AbortSignal.timeout(timeout) });
}

/** Signs a caller out when it is closed, so that commands that sign in for themselves leave no sessions behind. */
export function endOnClose(opened: Caller | Client): Caller | Client {
  return {
    ...opened,
    async close() {
      // A session that cannot be ended lasts until its token expires.
      await signOut(opened).catch(() => {});
      await opened.close();
    },
  };
}

/** Ends the session of a token. Returns the error when that fails. */
export async function endSession(route: Route, token: string): Promise<ServiceError | undefined> {
  const times = tokenTimesOf(token);
  if (times !== undefined && times.expires <= Date.now() / 1000) return undefined;
  let caller: Caller | undefined;
  try {
    caller = await openCaller(route, token);
    await signOut(caller);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError))
      return new ServiceError("unavailable", (error as Error).message, { cause: error });
    return error.code === "unauthenticated" ? undefined : error;
  } finally {
    await caller?.close();
  }
}
