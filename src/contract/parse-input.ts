import type { z } from "zod";
import type { FieldErrors } from "./errors.ts";
import { pathFields } from "./field-spec.ts";
import { type Cause, type Issue, messageOf } from "./issue-messages.ts";
import type { AnyOperation } from "./operation.ts";
import { isRecord } from "./parse-json.ts";

/** The issues of a value: the messages by field, and the same as codes. */
export interface Issues {
  readonly fields: FieldErrors;
  readonly issues: readonly Issue[];
}

type ParseResult<T> = { readonly ok: true; readonly value: T } | ({ readonly ok: false } & Issues);

/** Parses `value` by `schema`; the issues name every wrong field by its path, as in `contact.phone`. */
export function tryParse<S extends z.ZodType>(
  schema: S,
  value: unknown,
  nameOf = (path: readonly PropertyKey[]) => path.join("."),
): ParseResult<z.infer<S>> {
  const result = schema.safeParse(value, { error: describe, reportInput: true });
  return result.success ? { ok: true, value: result.data } : { ok: false, ...issuesOf(result.error, nameOf) };
}

/** Issues of the items of a list in the path have the name of the list, as in `userIDs`: it is one parameter. */
export function tryParseInput(op: AnyOperation, value: unknown): ParseResult<Record<string, unknown>> {
  const inPath = pathFields(op).map(({ name }) => name);
  return tryParse<z.ZodType<Record<string, unknown>>>(
    op.input(),
    withoutIgnored(op, value),
    (path) => inPath.find((name) => name === path[0]) ?? path.join("."),
  );
}

export function withoutIgnored({ ignored }: AnyOperation, value: unknown): unknown {
  if (ignored === undefined || !isRecord(value)) return value;
  const isOn = value[ignored.if] === true || value[ignored.if] === 1;
  if (!isOn) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !ignored.fields.includes(name)));
}

/** Maximum number of issues that are reported, so that a response is not many times as large as its request. */
const maxIssues = 500;

function issuesOf(error: z.ZodError, nameOf: (path: readonly PropertyKey[]) => string): Issues {
  // Without a prototype, because a field may be called __proto__.
  const fields: FieldErrors = Object.create(null);
  const issues: Issue[] = [];
  const add = (path: PropertyKey[], message: string, cause: Cause) => {
    if (issues.length === maxIssues) return;
    const field = nameOf(path) || "body";
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
        for (const key of issue.keys) add([...path, shortened(key)], messageOf(unknown), unknown);
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

/** Returns the name of an unknown field for the issue: its beginning, or `""` for an empty name. */
const shortened = (name: string) => (name.length <= 100 ? name || '""' : `${name.slice(0, 100)}…`);

/** Returns true when the whole value is of another type, or not the only allowed value. */
const isOfAnotherType = ({ code, path }: z.core.$ZodIssue) =>
  path.length === 0 && (code === "invalid_type" || code === "invalid_value");

function describe(issue: z.core.$ZodRawIssue): string | undefined {
  const cause = causeOf(issue);
  return cause && messageOf(cause);
}

/** Translates an issue of zod; undefined when its schema has the message. */
function causeOf(issue: z.core.$ZodRawIssue | z.core.$ZodIssue): Cause | undefined {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? { code: "required" }
        : { code: "wrong_type", params: { expected: String(issue.expected) } };
    case "invalid_value":
      if (issue.input === undefined) return { code: "required" };
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

/** Returns the valid fields, also of objects (unless they lack a required one) and lists. `pathInInput` returns their paths. */
export function validFields({ shape }: z.ZodObject, value: unknown): Record<string, unknown> {
  const known: Record<string, unknown> = {};
  if (!isRecord(value)) return known;
  for (const [name, schema] of Object.entries(shape as Record<string, z.ZodType>)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    const parsed = schema.safeParse(given);
    const accepted = parsed.success ? parsed.data : validPart(schema, given);
    if (accepted !== undefined) known[name] = accepted;
  }
  return known;
}

function validPart(schema: z.core.$ZodType, value: unknown): unknown {
  let inner = schema;
  while ("innerType" in inner._zod.def) inner = inner._zod.def.innerType as z.core.$ZodType;
  if (inner._zod.def.type === "array" && Array.isArray(value)) return validItems(inner as z.ZodArray<z.ZodType>, value);
  if (inner._zod.def.type !== "object" || !isRecord(value)) return undefined;
  const object = inner as z.ZodObject;
  const known = validFields(object, value);
  const isComplete = Object.entries(object.shape as Record<string, z.ZodType>).every(
    ([name, field]) => name in known || field.safeParse(undefined).success,
  );
  return isComplete ? known : undefined;
}

/** Positions in the input of the items of a list that lacks the invalid ones. */
const positions = new WeakMap<object, readonly number[]>();

/** Returns the valid items of a list; undefined when there are none, or when the list itself is wrong, for example too long. */
function validItems(schema: z.ZodArray<z.ZodType>, value: readonly unknown[]): unknown[] | undefined {
  const isWrong = schema.safeParse(value).error?.issues.some(({ path }) => path.length === 0);
  const parsed = isWrong ? [] : value.map((item) => schema.element.safeParse(item));
  const valid = [...parsed.entries()].filter(([, { success }]) => success);
  if (valid.length === 0) return undefined;
  const items = valid.map(([, { data }]) => data);
  positions.set(
    items,
    valid.map(([at]) => at),
  );
  return items;
}

/** Returns the path in the input of a field of what `validFields` returned. */
export function pathInInput(known: unknown, field: string): string {
  let at = known;
  const names = field.split(".").map((name) => {
    const position = positions.get(Object(at))?.[Number(name)];
    at = Object(at)[name];
    return position ?? name;
  });
  return names.join(".");
}
