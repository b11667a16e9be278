import { ServiceError } from "../contract/errors.ts";

/** The error with what the line calls a field in place of the field's own name; other errors as they are. */
export function namedAs(error: unknown, nameOf: (field: string) => string): unknown {
  if (!(error instanceof ServiceError) || !error.fields) return error;
  const sentences = Object.entries(error.fields).map(([field, reasons]) => `${nameOf(field)} ${reasons.join(" and ")}`);
  if (sentences.length === 0) return error;
  const { fields: wrong, hint } = error;
  return new ServiceError(error.code, sentences.join("; "), { fields: wrong, ...(hint && { hint }) });
}
