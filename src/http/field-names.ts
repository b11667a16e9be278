import type { z } from "zod";
import { type FieldErrors, invalid, ServiceError } from "../contract/errors.ts";
import { fieldsOf, pathFields } from "../contract/field-spec.ts";
import type { AnyOperation } from "../contract/operation.ts";
import { tryParse } from "../contract/parse-input.ts";

/** Returns the error with the names that fields have on the wire, as in `content` for the ID of a post. */
export function withWireNames(op: AnyOperation, error: unknown): unknown {
  return renamed(error, new Map(pathFields(op).map(({ wire, name }) => [name, wire])));
}

/** Returns the error of a response with the names of the input fields. */
export function withInputNames(op: AnyOperation, input: Record<string, unknown>, error: unknown): unknown {
  const fields = fieldsOf(op);
  const path = pathFields(op).filter(({ wire, name }) => wire !== name);
  // The name on the wire may be that of a field of the body, too.
  const shared = path.filter(({ wire }) => fields.some(({ name }) => name === wire));
  const apart = path.filter((each) => !shared.includes(each));
  const own = renamed(error, new Map(apart.map(({ wire, name }) => [wire, name])));
  return shared.reduce((before, { wire, name }) => withOwnIssues(op, input, before, { wire, name }), own);
}

/** Moves the issues of a field of the path from the name on the wire, which a field of the body has as well. */
function withOwnIssues(
  op: AnyOperation,
  input: Record<string, unknown>,
  error: unknown,
  { wire, name }: { readonly wire: string; readonly name: string },
): unknown {
  if (!(error instanceof ServiceError) || error.fields?.[wire] === undefined) return error;
  const result = tryParse((op.input() as z.ZodObject).shape[name] as z.ZodType, input[name]);
  if (result.ok) return error;
  const own = Object.values(result.fields).flat();
  const fields = Object.entries(error.fields).flatMap(([field, messages]): [string, string[]][] => {
    if (field !== wire) return [[field, messages]];
    const others = messages.slice(own.length);
    return others.length === 0
      ? [[name, own]]
      : [
          [name, own],
          [wire, others],
        ];
  });
  const issues = error.issues.map((issue) => ({ ...issue }));
  for (const issue of issues.filter(({ field }) => field === wire).slice(0, own.length)) issue.field = name;
  return invalid(Object.fromEntries(fields), issues);
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
