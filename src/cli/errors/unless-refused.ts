import { type ErrorCode, ServiceError } from "../../contract/errors.ts";

/** Returns the result of a call; undefined when it fails with this code, as with `forbidden` when the scopes of an API token do not allow it. */
export async function unlessRefused<T>(code: ErrorCode, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ServiceError && error.code === code) return undefined;
    throw error;
  }
}
