import { ServiceError } from "./errors.ts";

/** Returns the fields of a log line about a failure. An outage has its reason in place of a stack, since nothing in the program is wrong. */
export function loggedError(error: unknown): { readonly err: unknown } | { readonly reason: string } {
  if (!(error instanceof ServiceError)) return { err: error };
  const { code, message, cause = error } = error;
  if (code !== "unavailable") return { err: cause };
  // Without a message when several addresses of a name refused the connection.
  const { message: reason, code: name } = cause as { message?: string; code?: unknown };
  return { reason: reason || String(name ?? message) };
}
