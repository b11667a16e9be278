import type { FieldErrors } from "../../contract/errors.ts";

/** What became of a row. */
export interface Outcome {
  readonly action: "created" | "changed" | "unchanged" | "left out";
  readonly id: number | null;
  readonly reference: string | null;
  readonly fields?: FieldErrors | undefined;
}

/** The outcome of a row that never got as far as the service, or that cannot go in. */
export const leftOut = (fields: FieldErrors | undefined, reference: string | null = null): Outcome => ({
  action: "left out",
  id: null,
  reference,
  fields,
});
