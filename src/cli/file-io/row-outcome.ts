import type { FieldErrors } from "../../contract/errors.ts";
import type { Issue } from "../../contract/issue-messages.ts";

export interface Outcome {
  readonly action: "created" | "changed" | "unchanged" | "skipped";
  readonly id: number | null;
  readonly reference: string | null;
  /** True for a user who is deactivated and stays so. */
  readonly deactivated?: boolean | undefined;
  readonly fields?: FieldErrors | undefined;
  readonly issues?: readonly Issue[] | undefined;
}

/** Returns the outcome of a row that is not imported. */
export const skippedRow = (
  fields: FieldErrors | undefined,
  reference: string | null = null,
  issues?: Outcome["issues"],
): Outcome => ({ action: "skipped", id: null, reference, fields, issues });
