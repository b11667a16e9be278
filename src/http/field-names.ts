import type { z } from "zod";
import { invalid, ServiceError } from "../contract/errors.ts";
import { fieldsOf, pathFields } from "../contract/field-spec.ts";
import type { AnyOperation } from "../contract/operation.ts";
import { tryParse } from "../contract/parse-input.ts";
import { renameFields } from "./rename-fields.ts";

/** Returns the error with the names that fields have on the wire, as in `content` for the ID of a post. */
export function withWireNames(op: AnyOperation, error: unknown): unknown {
  return renameFields(error, new Map(pathFields(op).map(({ wire, name }) => [name, wire])));
}

export function withInputNames(op: AnyOperation, input: Record<string, unknown>, error: unknown): unknown {
  const { shared, apart } = renamedPathFields(op);
  let renamed = renameFields(error, new Map(apart.map(({ wire, name }) => [wire, name])));
  for (const field of shared) renamed = withOwnIssues(op, input, renamed, field);
  return renamed;
}

/** Returns the path fields that have another name on the wire: `shared` ones, whose wire name is also a field of the body, and the others. */
export function renamedPathFields(op: AnyOperation) {
  const fields = fieldsOf(op);
  const path = pathFields(op).filter(({ wire, name }) => wire !== name);
  const shared = path.filter(({ wire }) => fields.some(({ name }) => name === wire));
  return { shared, apart: path.filter((each) => !shared.includes(each)) };
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
    return others.length === 0 ? [[name, own]] : Object.entries({ [name]: own, [wire]: others });
  });
  const issues = error.issues.map((issue) => ({ ...issue }));
  for (const issue of issues.filter(({ field }) => field === wire).slice(0, own.length)) issue.field = name;
  return invalid(Object.fromEntries(fields), issues);
}
