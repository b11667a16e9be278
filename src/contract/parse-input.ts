import type { z } from "zod";
import { type FieldErrors, invalid } from "./errors.ts";
import { type Issue, messageOf } from "./issue-messages.ts";

/** The issues of a value: the messages by field, and the same as codes. */
export interface Issues {
  readonly fields: FieldErrors;
  readonly issues: readonly Issue[];
}

export type ParseResult<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Issues);

/** Parses `value` by `schema`; the issues name every wrong field by its path, as in `contact.phone`. */
export function tryParse<S extends z.ZodType>(schema: S, value: unknown): ParseResult<z.infer<S>> {
  const result = schema.safeParse(value, { error: describe, reportInput: true });
  return result.success ? { ok: true, value: result.data } : { ok: false, ...issuesOf(result.error) };
}

/** Parses `value` by `schema`. Throws `validation_failed` with every wrong field. */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const result = tryParse(schema, value);
  if (result.ok) return result.value;
  throw invalid(result.fields, result.issues);
}

function issuesOf(error: z.ZodError): Issues {
  // Without a prototype, because a field may be called __proto__.
  const fields: FieldErrors = Object.create(null);
  const issues: Issue[] = [];
  const add = (path: PropertyKey[], message: string, cause: Omit<Issue, "field">) => {
    const field = path.join(".") || "body";
    fields[field] ??= [];
    if (fields[field].includes(message)) return;
    fields[field].push(message);
    issues.push({ field, ...cause });
  };
  const walk = (found: readonly z.core.$ZodIssue[], above: PropertyKey[]) => {
    for (const issue of found) {
      const path = [...above, ...issue.path];
      if (issue.code === "unrecognized_keys") {
        const unknown = { code: "unknown_field" } as const;
        for (const key of issue.keys) add([...path, key], messageOf(unknown), unknown);
      } else if (issue.code === "invalid_union") {
        // The last alternative is the full form, unless the value is of the type of another one.
        const fitting = issue.errors.filter((errors) => !errors.some(isOfAnotherType));
        walk(fitting.at(-1) ?? issue.errors.at(-1) ?? [], path);
      } else {
        add(path, issue.message, causeOf(issue) ?? { code: "invalid" });
      }
    }
  };
  walk(error.issues, []);
  return { fields, issues };
}

/** Returns true when the whole value is of another type, or not the only allowed value. */
const isOfAnotherType = ({ code, path }: z.core.$ZodIssue) =>
  path.length === 0 && (code === "invalid_type" || code === "invalid_value");

function describe(issue: z.core.$ZodRawIssue): string | undefined {
  const cause = causeOf(issue);
  return cause && messageOf(cause);
}

/** Translates an issue of zod; undefined when its schema has the message. */
function causeOf(issue: z.core.$ZodRawIssue | z.core.$ZodIssue): Omit<Issue, "field"> | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? { code: "required" }
        : { code: "wrong_type", params: { expected: String(issue.expected) } };
    case "invalid_value":
      return { code: "not_allowed_value", params: { values: issue.values.map(String) } };
    case "too_small":
      return { code: "too_small", params: { minimum: Number(issue.minimum), of: issue.origin } };
    case "too_big":
      return { code: "too_big", params: { maximum: Number(issue.maximum), of: issue.origin } };
    case "invalid_format":
      return { code: "wrong_format", params: { format: issue.format } };
    case "not_multiple_of":
      return { code: "not_multiple_of", params: { divisor: Number(issue.divisor) } };
    default:
      return undefined;
  }
}
