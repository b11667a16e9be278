import { ServiceError } from "../contract/errors.ts";

/** The error for a commit that failed in a way that does not tell if the change was saved. */
export function unknownOutcome(cause: unknown): ServiceError {
  return new ServiceError(
    "unavailable",
    "The database failed while saving. The change may or may not have been saved; check before you repeat it.",
    { cause },
  );
}
