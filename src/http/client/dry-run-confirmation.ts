import { ServiceError } from "../../contract/errors.ts";

/** Returns the error for a dry run that the service did not confirm. */
export function notDry(origin: string): ServiceError {
  return new ServiceError("unavailable", `${origin} did not confirm the dry run, so the change may have been made.`, {
    hint: "Check the current state. The server does not support dry runs, or a proxy removes the Dry-Run header.",
  });
}
