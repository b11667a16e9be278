import { ServiceError } from "./errors.ts";

/** SQLSTATEs of constraints, conflicts, waits for locks and cancelled statements: a statement of the program may be the reason. */
const statementStates = /^(23|25P|40|55P|57014)/;

/** Returns the fields of a log line about a failure. An outage has its reason in place of a stack, since nothing in the program is wrong. */
export function loggedError(error: unknown): { readonly err: unknown } | { readonly reason: string } {
  if (!(error instanceof ServiceError)) return { err: error };
  const { code, message, cause = error } = error;
  // Without a message when several addresses of a name refused the connection.
  const { message: reason, code: name } = cause as { message?: string; code?: unknown };
  if (code !== "unavailable" || statementStates.test(String(name))) return { err: cause };
  return { reason: reason || String(name ?? message) };
}
