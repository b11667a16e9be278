import { type FieldErrors, invalid, ServiceError } from "../contract/errors.ts";
import { fieldsOf, pathFields } from "../contract/field-spec.ts";
import type { AnyOperation } from "../contract/operation.ts";

/** Returns the error with the names that fields have on the wire, as in `content` for the ID of a post. */
export function withWireNames(op: AnyOperation, error: unknown): unknown {
  return renamed(error, new Map(pathFields(op).map(({ wire, name }) => [name, wire])));
}

/** Returns the error of a response with the names of the input fields. */
export function withInputNames(op: AnyOperation, error: unknown): unknown {
  const path = pathFields(op);
  const names = new Set(path.map(({ name }) => name));
  // A field of the body may have the name that a field of the path has on the wire.
  const others = new Set(fieldsOf(op).flatMap(({ name }) => (names.has(name) ? [] : [name])));
  return renamed(error, new Map(path.flatMap(({ wire, name }) => (others.has(wire) ? [] : [[wire, name]]))));
}

function renamed(error: unknown, names: ReadonlyMap<string, string>): unknown {
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
