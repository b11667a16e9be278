import type { ZodType } from "zod";
import { UsageError } from "../../errors/cli-errors.ts";

/** Returns the value of a flag as its schema reads it. Throws a `UsageError` when it is invalid. */
export function parseFlag<T>(flag: string, schema: ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new UsageError(`${flag}: '${value}' ${result.error.issues[0]?.message}`);
}
