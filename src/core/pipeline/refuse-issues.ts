import { type FieldErrors, invalid } from "../../contract/errors.ts";

/** Throws `validation_failed` when there are issues. */
export function refuse(issues: FieldErrors): void {
  if (Object.keys(issues).length > 0) throw invalid(issues);
}
