import { ServiceError } from "../../contract/errors.ts";

/** Replaces field names in a validation error by the names that `nameOf` returns. Other errors stay unchanged. */
export function renameErrorFields(error: unknown, nameOf: (field: string) => string): unknown {
  if (!(error instanceof ServiceError) || !error.fields) return error;
  const sentences = Object.entries(error.fields).map(([field, reasons]) => `${nameOf(field)} ${reasons.join(" and ")}`);
  if (sentences.length === 0) return error;
  const { fields: wrong, hint } = error;
  return new ServiceError(error.code, sentences.join("; "), { fields: wrong, ...(hint && { hint }) });
}
