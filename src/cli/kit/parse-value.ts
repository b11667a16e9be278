import type { ZodType } from "zod";
import type { Field } from "../../contract/field-spec.ts";
import { lowerFirst, UsageError } from "../errors/cli-errors.ts";
import { isTooDeep, tooDeep } from "../file-io/too-deep.ts";

type ScalarField = Pick<Field, "kind"> & Partial<Field>;

export function parseValue({ kind, values }: ScalarField, text: string, name: string): unknown {
  if (/^(integer|number)$/.test(kind) && !text.trim()) throw new UsageError(`${name} must not be empty`);
  if (kind === "integer") {
    if (!/^[+-]?\d{1,15}$/.test(text.trim())) throw new UsageError(`${name} must be an integer, not '${text}'`);
    return Number(text);
  }
  if (kind === "number") {
    if (!Number.isFinite(Number(text))) throw new UsageError(`${name} must be a number, not '${text}'`);
    return Number(text);
  }
  if (values && !values.includes(text))
    throw new UsageError(`${name} must be one of ${values.join(", ")}, not '${text}'`);
  return text;
}

export const parseList = (
  { items = { kind: "string" } }: { items: ScalarField | undefined },
  text: string,
  name: string,
): unknown[] =>
  text
    .split(",")
    .filter(Boolean)
    .map((part) => parseValue(items, part.trim(), name));

/** Returns whether a text is an ID. Longer numbers are names. */
export const isId = (text: string): boolean => /^\s*\d{1,15}\s*$/.test(text);

export const parseInteger = (text: unknown, name: string): number =>
  parseValue({ kind: "integer" }, String(text), name) as number;

export const parseChoice = <T extends string>(values: readonly T[], text: unknown, name: string): T =>
  parseValue({ kind: "string", values }, String(text), name) as T;

/** Splits the values of an argument or a flag that can be repeated at commas. */
export const splitList = (given: unknown): string[] =>
  [given ?? []]
    .flat()
    .flatMap((text) => String(text).split(","))
    .filter((text) => text.trim() !== "");

const issuePattern =
  /^(?:(.*?)(?: in JSON)? at position \d+ \((line \d+) (column \d+)\)$|Unexpected (?:token '.'|end))/su;

/** Returns the issue and its place in a message of `JSON.parse`, without the text that it may quote: that may be a secret. */
function jsonIssue(message: string): string {
  const [unplaced, issue = unplaced, line, column] = issuePattern.exec(message) ?? [];
  if (issue === undefined) return "";
  const place = line === undefined ? "" : ` at ${line}, ${column}`;
  return `: ${lowerFirst(issue)}${place}`;
}

export function parseJson(text: string, name: string, hint?: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${name} must be JSON${jsonIssue((error as Error).message)}`, { hint });
  }
  if (isTooDeep(value)) throw new UsageError(`${name} must not be ${tooDeep}`);
  return value;
}

/** Returns the value of a flag as its schema reads it. Throws a `UsageError` when it is invalid. */
export function parseFlag<T>(flag: string, schema: ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new UsageError(`${flag}: '${value}' ${result.error.issues[0]?.message}`);
}
