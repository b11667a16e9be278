import type { z } from "zod";
import { type FieldErrors, invalid } from "./errors.ts";

/** Parses `value` by `schema`; a `validation_failed` error names every wrong field by its path, as in `contact.phone`. */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const result = schema.safeParse(value, { error: sentence });
  if (result.success) return result.data;
  throw invalid(fieldErrors(result.error));
}

/** The wrong fields of a failed parse, each with what to do about it. */
export function fieldErrors(error: z.ZodError): FieldErrors {
  // No prototype: a field may be called __proto__.
  const fields: FieldErrors = Object.create(null);
  const add = (path: PropertyKey[], message: string) => {
    const name = path.join(".") || "body";
    fields[name] ??= [];
    if (!fields[name].includes(message)) fields[name].push(message);
  };
  const walk = (issues: readonly z.core.$ZodIssue[], above: PropertyKey[]) => {
    for (const issue of issues) {
      const path = [...above, ...issue.path];
      if (issue.code === "unrecognized_keys") {
        for (const key of issue.keys) add([...path, key], "is not a field of this operation");
      } else if (issue.code === "invalid_union") {
        // The last alternative is the full form, unless the value is of the type of another one.
        const fitting = issue.errors.filter((errors) => !errors.some(isOfAnotherType));
        walk(fitting.at(-1) ?? issue.errors.at(-1) ?? [], path);
      } else {
        add(path, issue.message);
      }
    }
  };
  walk(error.issues, []);
  return fields;
}

/** Whether an issue says that the whole value is of the wrong type, or not the one value that would do. */
const isOfAnotherType = ({ code, path }: z.core.$ZodIssue) =>
  path.length === 0 && (code === "invalid_type" || code === "invalid_value");

const article = (noun: string) => (/^[aeio]/.test(noun) ? `an ${noun}` : `a ${noun}`);

/** A sentence without its subject, which is the name of the field. */
function sentence(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is required";
      return issue.expected === "int"
        ? "must be an integer"
        : `must be ${article(nouns[issue.expected] ?? issue.expected)}`;
    case "invalid_value":
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `must ${bound(issue.origin)} at least ${issue.minimum}${unit(issue.origin)}`;
    case "too_big":
      return `must ${bound(issue.origin)} at most ${issue.maximum}${unit(issue.origin)}`;
    case "invalid_format":
      return issue.format === "regex" ? "has the wrong form" : `must be ${article(issue.format)}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    default:
      return undefined;
  }
}

const nouns: Record<string, string> = {
  string: "text",
  array: "list",
  record: "object",
  boolean: "boolean (true or false)",
};
const bound = (origin: string) => (origin === "string" || origin === "array" ? "have" : "be");
const unit = (origin: string) => (origin === "string" ? " characters" : origin === "array" ? " items" : "");
