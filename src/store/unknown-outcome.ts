import { ServiceError } from "../contract/errors.ts";

export function unknownOutcome(cause: unknown): ServiceError {
  return new ServiceError(
    "unavailable",
    "The database failed while saving. The change may or may not have been saved; check before you repeat it.",
    { cause },
  );
}
