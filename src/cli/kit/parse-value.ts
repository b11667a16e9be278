import type { Field } from "../../contract/field-spec.ts";
import { UsageError } from "../errors/cli-errors.ts";

/** Converts a text to a value of the field's kind. Throws a `UsageError` when it is not of that kind. */
export function parseValue(
  { kind, values }: Pick<Field, "kind"> & Partial<Field>,
  text: string,
  name: string,
): unknown {
  if (kind === "integer") {
    if (!/^[+-]?\d{1,15}$/.test(text.trim())) throw new UsageError(`${name} must be an integer, not '${text}'`);
    return Number(text);
  }
  if (kind === "number") {
    if (text.trim() === "" || !Number.isFinite(Number(text)))
      throw new UsageError(`${name} must be a number, not '${text}'`);
    return Number(text);
  }
  if (values && !values.includes(text))
    throw new UsageError(`${name} must be one of ${values.join(", ")}, not '${text}'`);
  return text;
}

export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${name} must be JSON`);
  }
}
