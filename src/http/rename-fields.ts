import { type FieldErrors, invalid, ServiceError } from "../contract/errors.ts";

export function renameFields(error: unknown, names: ReadonlyMap<string, string>): unknown {
  if (!(error instanceof ServiceError) || error.fields === undefined) return error;
  const nameOf = (field: string) => field.replace(/^[^.]+/, (first) => names.get(first) ?? first);
  const given = Object.entries(error.fields);
  if (given.every(([field]) => nameOf(field) === field)) return error;
  // Without a prototype, because a field may be called __proto__.
  const fields: FieldErrors = Object.create(null);
  for (const [field, messages] of given) fields[nameOf(field)] = [...(fields[nameOf(field)] ?? []), ...messages];
  const issues = error.issues.map((issue) => ({ ...issue, field: nameOf(issue.field) }));
  return invalid(fields, issues);
}
