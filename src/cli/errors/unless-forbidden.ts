import { ServiceError } from "../../contract/errors.ts";

/** Returns the result of a call; undefined when the user, or the scopes of the API token, do not allow it. */
export async function unlessForbidden<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "forbidden") return undefined;
    throw error;
  }
}
