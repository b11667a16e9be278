import { ServiceError } from "../../contract/errors.ts";
import type { Caller } from "../../contract/operation.ts";
import { open, type Route } from "./open-caller.ts";
import { tokenTimesOf } from "./token-times.ts";

/** Milliseconds that a command waits for the end of its session. */
const patience = 5000;

/** Ends the session of the caller's token. */
export async function signOut(caller: Caller): Promise<void> {
  const { sessions } = await import("../../contract/sessions.ts");
  await caller.call(sessions.endCurrent, {}, { signal: AbortSignal.timeout(patience) });
}

/** Ends the session of a token. Returns the reason when it goes on, and undefined when it has ended. */
export async function endSession(route: Route, token: string): Promise<ServiceError | undefined> {
  const times = tokenTimesOf(token);
  if (times !== undefined && times.expires <= Date.now() / 1000) return undefined;
  let caller: Caller | undefined;
  try {
    caller = await open(route, token);
    await signOut(caller);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceError)) return new ServiceError("unavailable", messageOf(error), { cause: error });
    return error.code === "unauthenticated" ? undefined : error;
  } finally {
    await caller?.close();
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
