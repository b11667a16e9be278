import type { Field } from "../contract/shape.ts";
import { UsageError } from "./failure.ts";

/** A value as its field takes it; what is not even of that kind is a mistake on the command line. */
export function readScalar(
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
