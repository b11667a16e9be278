import type { FieldErrors } from "../../contract/errors.ts";

/** Formats the issues of fields: `email is taken and too long`. */
export const fieldSentences = (fields: Readonly<FieldErrors> = {}, nameOf = (field: string) => field): string[] =>
  Object.entries(fields).map(([field, reasons]) => `${nameOf(field)} ${reasons.join(" and ")}`);
